/** blind: what cannot be seen now, above everything else. Blindness never looks healthy. */
import { useQuery } from "@tanstack/react-query";
import { nowQuery } from "../api/queries.ts";
import { Words } from "./words.tsx";
import { printable } from "../words/printable.ts";
import { Ago } from "./clock.tsx";

export function Blind() {
  const { data } = useQuery(nowQuery());
  const blind = data?.blind ?? [];
  if (blind.length === 0) return null;
  return (
    <section className="blind" role="alert" aria-label="What cannot be seen">
      {blind.map(({ kind, says = "", whatToDo = "", since }) => (
        <div key={kind}>
          <p>
            <b aria-hidden="true">⚠</b> <strong>{printable(says)}</strong>
            {since === undefined ? null : (
              <>
                {" "}
                Last seen <Ago at={since} />.
              </>
            )}
          </p>
          <p className="blind-do">
            <Words of={whatToDo} />
          </p>
        </div>
      ))}
    </section>
  );
}
