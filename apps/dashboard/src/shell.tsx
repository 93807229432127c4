/**
 * shell: what stands around every page: where one can go, in which mode recovery is and who acts, what cannot be seen, and whether what
 * is shown is fresh. Without a sign-in nothing but the sign-in.
 */
import { useEffect, useState } from "react";
import { Link, Outlet } from "@tanstack/react-router";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { isSignedOut } from "./api/client.ts";
import { isLive, meQuery, nowQuery } from "./api/queries.ts";
import { forgetToken } from "./api/session.ts";
import { startWatch } from "./api/watch.ts";
import { SignInPage } from "./pages/sign-in.tsx";
import { Blind } from "./parts/blind.tsx";
import { Brakes } from "./parts/brakes.tsx";
import { useNow } from "./parts/clock.tsx";
import { Failed, Loading } from "./parts/states.tsx";
import { readTheme, setTheme, type Theme, themes } from "./parts/theme.ts";
import { clockTime, duration } from "./words/time.ts";

export function Shell() {
  const me = useQuery(meQuery());
  if (isSignedOut(me.error)) return <SignInPage />;
  if (me.data === undefined)
    return (
      <main className="alone">
        {me.error === null ? (
          <Loading what="who you are" />
        ) : (
          <Failed error={me.error} what="who you are" retry={() => void me.refetch()} />
        )}
      </main>
    );
  return (
    <>
      <a className="skip" href="#main">
        Skip to the page
      </a>
      <Bar name={me.data.name ?? ""} />
      <Freshness />
      <Blind />
      <Brakes />
      <main id="main" tabIndex={-1}>
        <Outlet />
      </main>
    </>
  );
}

const places = [
  ["/", "Now"],
  ["/jobs", "Jobs"],
  ["/advice", "Advice"],
  ["/nodes", "Nodes"],
  ["/workflows", "Workflows"],
  ["/audit", "Audit"],
] as const;

function Bar({ name }: { readonly name: string }) {
  const queries = useQueryClient();
  const signOut = () => {
    forgetToken();
    queries.clear();
    void queries.invalidateQueries();
  };
  return (
    <header className="bar">
      <Link to="/" className="brand">
        Reprise
      </Link>
      <nav aria-label="Pages">
        {places.map(([to, word]) => (
          <Link key={to} to={to} activeOptions={{ exact: to === "/", includeSearch: false }}>
            {word}
          </Link>
        ))}
      </nav>
      <Mode />
      <details className="account">
        <summary aria-label={`Signed in as ${name}`}>{name}</summary>
        <div className="menu">
          <ThemeChoice />
          <button type="button" onClick={signOut}>
            Sign out
          </button>
        </div>
      </details>
    </header>
  );
}

/** Whether recovery may act, where, and who acts: in plain sight on every page, and the way to where that is ordered. */
function Mode() {
  const { data } = useQuery(nowQuery());
  const { scheduler, lease } = data ?? {};
  if (scheduler === undefined)
    return (
      <Link to="/mode" className="mode unknown">
        mode not known
      </Link>
    );
  const isActing = scheduler.mode === "act";
  const where = (scheduler.partitions ?? []).join(", ");
  const who = lease?.held === true ? lease.holder : undefined;
  const title = isActing
    ? `Recovery acts in ${where}${who === undefined ? "" : `; ${who} holds the lease, term ${lease?.term}`}`
    : "Observe mode: nothing is changed in Slurm";
  return (
    <Link to="/mode" className={`mode ${isActing ? "act" : "observe"}`} title={title}>
      <b>{isActing ? "ACTS" : "OBSERVES"}</b>
      <span className="wide"> {isActing ? `in ${where}` : data?.cluster}</span>
      {who === undefined ? null : <span className="wide faint"> by {who}</span>}
    </Link>
  );
}

function ThemeChoice() {
  const [theme, choose] = useState<Theme>(readTheme);
  return (
    <label>
      Theme{" "}
      <select
        value={theme}
        onChange={(event) => {
          const chosen = themes.find((one) => one === event.target.value) ?? "auto";
          setTheme(chosen);
          choose(chosen);
        }}
      >
        {themes.map((one) => (
          <option key={one}>{one}</option>
        ))}
      </select>
    </label>
  );
}

/** Older than this it is said that it is old. */
const freshMs = 25_000;

/** Live, or how old. What is old is never shown as if it were now: it is as old as the oldest answer of which something is on the screen. */
function Freshness() {
  const queries = useQueryClient();
  const [stream, setStream] = useState<"live" | "away" | undefined>();
  useEffect(
    () => startWatch({ onState: setStream, onChange: () => void queries.invalidateQueries({ predicate: isLive }) }),
    [queries],
  );
  useNow();
  const shown = queries
    .getQueryCache()
    .findAll({ type: "active", predicate: (query) => isLive(query) && query.state.dataUpdatedAt > 0 })
    .map(({ state }) => state);
  const oldest = shown.toSorted((a, b) => a.dataUpdatedAt - b.dataUpdatedAt)[0];
  // Both by this machine's clock: the server's may differ.
  const age = oldest === undefined ? 0 : Date.now() - oldest.dataUpdatedAt;
  if (oldest !== undefined && age > freshMs)
    return (
      <div className="stale" role="alert">
        <b>Old.</b> What you see is from {clockTime(oldest.dataUpdatedAt)}, {duration(age)} ago:{" "}
        {(oldest.error ?? oldest.fetchFailureReason)?.message ?? "the server does not answer"}. The jobs may stand
        otherwise now.
      </div>
    );
  return stream === "away" ? (
    <div className="away" role="status">
      The stream of changes is away; the page asks every few seconds instead.
    </div>
  ) : null;
}
