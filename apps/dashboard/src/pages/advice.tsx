/** advice: what recovery wants to happen, and what became of it; newest first. */
import { getRouteApi } from "@tanstack/react-router";
import { useInfiniteQuery } from "@tanstack/react-query";
import type { AdviceJson } from "@reprise/protocol/gen/heimdall/v1/heimdall_pb.ts";
import { adviceQuery, moreOf } from "../api/queries.ts";
import { Ago } from "../parts/clock.tsx";
import { ChoiceFilter, Filters } from "../parts/filters.tsx";
import { JobLink } from "../parts/job-link.tsx";
import { type Column, Rows } from "../parts/rows.tsx";
import { Standing } from "../parts/standing.tsx";
import { Empty, NotYet } from "../parts/states.tsx";
import { printable } from "../words/printable.ts";
import { adviceSentence, adviceWord, statusSentence } from "../words/wire-words.ts";

const route = getRouteApi("/advice");

const columns: readonly Column<AdviceJson>[] = [
  {
    name: "Job",
    width: "minmax(5rem, 0.7fr)",
    cell: (advice) => <JobLink jobId={advice.jobId} attempt={advice.attemptIndex} />,
  },
  {
    name: "Try",
    width: "3rem",
    cell: ({ attemptIndex = 0 }) => (
      <>
        <span className="narrow">try </span>
        {attemptIndex}
      </>
    ),
  },
  { name: "Wanted", width: "minmax(8rem, 1.4fr)", wraps: true, cell: adviceSentence },
  { name: "Because", width: "minmax(12rem, 1.2fr)", cell: (advice) => advice.because },
  { name: "Stands", width: "8.5rem", cell: (advice) => <Standing of={adviceWord(advice)} /> },
  { name: "What became of it", width: "minmax(13rem, 1.6fr)", isWide: true, wraps: true, cell: statusSentence },
  {
    name: "Evidence",
    width: "minmax(8rem, 2.4fr)",
    isWide: true,
    cell: (advice) => <code className="line one">{printable(advice.issues?.[0]?.summary ?? "")}</code>,
  },
  { name: "Gen.", width: "3.5rem", isWide: true, cell: (advice) => advice.generation },
  { name: "Age", width: "7.5rem", isWide: true, cell: (advice) => <Ago at={advice.createdAt} /> },
];

export function AdvicePage() {
  const { show } = route.useSearch();
  const navigate = route.useNavigate();
  const asked = useInfiniteQuery(adviceQuery(show === "active"));
  const advice = asked.data?.pages.flatMap((page) => page.advice ?? []) ?? [];
  return (
    <div className="page list">
      <h1>Advice</h1>
      <Filters>
        <ChoiceFilter
          label="Which"
          value={show}
          choices={[
            ["", "all"],
            ["active", "still to be carried out"],
          ]}
          onChange={(value) => void navigate({ search: { show: value } })}
        />
      </Filters>
      {asked.data === undefined ? (
        <NotYet error={asked.error} what="Advice" retry={() => void asked.refetch()} />
      ) : advice.length === 0 ? (
        <Empty title={show === "active" ? "Nothing is to be carried out" : "Nothing was ever advised"}>
          <p>Advice is made when a job that opted in fails.</p>
        </Empty>
      ) : (
        <Rows
          label="Advice"
          rows={advice}
          keyOf={(one) => one.heimdallJobId ?? ""}
          columns={columns}
          more={moreOf(asked)}
        />
      )}
    </div>
  );
}
