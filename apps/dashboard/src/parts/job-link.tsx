/** job-link: a job by its ID, and its name where it has one. */
import { Link } from "@tanstack/react-router";
import { printable } from "../words/printable.ts";

export function JobLink({
  jobId = "",
  name,
  attempt,
}: {
  readonly jobId: string | undefined;
  readonly name?: string | undefined;
  readonly attempt?: number | undefined;
}) {
  if (jobId === "") return <span className="faint">without a job ID</span>;
  return (
    <Link
      to="/jobs/$jobId"
      params={{ jobId }}
      search={attempt === undefined ? {} : { attempt: String(attempt) }}
      className="job-link"
    >
      <b>{printable(jobId)}</b>
      {name === undefined || name === "" ? null : <span> {printable(name)}</span>}
    </Link>
  );
}
