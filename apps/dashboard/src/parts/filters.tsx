/** filters: what a list shows, as links and fields whose values stand in the address, so that it can be sent to somebody. */
import { type ReactNode, useEffect, useState } from "react";

export function Filters({ children }: { readonly children: ReactNode }) {
  return (
    <form className="filters" role="search" onSubmit={(event) => event.preventDefault()}>
      {children}
    </form>
  );
}

const quietMs = 350;

/** A field that says its value once its user has paused. */
export function TextFilter({
  label,
  value,
  onChange,
}: {
  readonly label: string;
  readonly value: string | undefined;
  readonly onChange: (value: string | undefined) => void;
}) {
  const [text, setText] = useState(value ?? "");
  useEffect(() => setText(value ?? ""), [value]);
  useEffect(() => {
    if (text === (value ?? "")) return undefined;
    const timer = setTimeout(() => onChange(text.trim() === "" ? undefined : text.trim()), quietMs);
    return () => clearTimeout(timer);
  }, [text, value, onChange]);
  return (
    <label>
      <span>{label}</span>
      <input type="search" value={text} maxLength={256} onChange={(event) => setText(event.target.value)} />
    </label>
  );
}

export function ChoiceFilter({
  label,
  value,
  choices,
  onChange,
}: {
  readonly label: string;
  readonly value: string | undefined;
  /** Value and word; the first one is for all. */
  readonly choices: readonly (readonly [value: string, word: string])[];
  readonly onChange: (value: string | undefined) => void;
}) {
  return (
    <fieldset className="choices">
      <legend className="sr">{label}</legend>
      {choices.map(([choice, word]) => (
        <label key={choice} className={(value ?? "") === choice ? "chosen" : undefined}>
          <input
            type="radio"
            name={label}
            value={choice}
            checked={(value ?? "") === choice}
            onChange={() => onChange(choice === "" ? undefined : choice)}
          />
          {word}
        </label>
      ))}
    </fieldset>
  );
}
