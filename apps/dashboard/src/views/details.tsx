/** details: everything else that is known of one attempt: each rule's answer, what was counted, which nodes, which steps, which orders. */
import type { ReactNode } from "react";
import type {
  AttemptStoryJson,
  DecisionStoryJson,
  RuleStoryJson,
} from "@reprise/protocol/gen/reprise/v1/reprise_pb.ts";
import { Ago } from "../parts/clock.tsx";
import { counted } from "../words/counted.ts";
import { printable } from "../words/printable.ts";
import { clockTime, duration, instant } from "../words/time.ts";
import { adviceSentence, statusSentence } from "../words/wire-words.ts";
import { AuditPart } from "./audit-part.tsx";
import { Budgets } from "./budgets.tsx";
import { Part } from "../parts/part.tsx";

export function Details({ story }: { readonly story: AttemptStoryJson }) {
  const decision = story.advised ?? story.decision;
  return (
    <div className="details">
      {decision === undefined ? null : <Rules decision={decision} />}
      {decision === undefined ? null : <Budgets decision={decision} />}
      {decision === undefined ? null : <NodesConsidered decision={decision} />}
      <Progress story={story} />
      <Steps story={story} />
      <Generations story={story} />
      <Orders story={story} />
      <AuditPart jobId={story.job?.jobId ?? ""} />
    </div>
  );
}

/** Their order is the policy. Those that answered stand open; those that were asked before and had nothing to say are folded. */
function Rules({ decision: { rules = [] } }: { readonly decision: DecisionStoryJson }) {
  const [answered, silent] = [
    rules.filter((one) => one.answered === true),
    rules.filter((one) => one.answered !== true),
  ];
  return (
    <Part title="Every rule, and what it answered" count={rules.length} open>
      <RuleList rules={answered} />
      {silent.length === 0 ? null : (
        <details className="folded">
          <summary>{counted(silent.length, "rule was", "rules were")} asked in their order and did not answer</summary>
          <RuleList rules={silent} />
        </details>
      )}
    </Part>
  );
}

function RuleList({ rules }: { readonly rules: readonly RuleStoryJson[] }) {
  return (
    <ol className="rules">
      {rules.map(({ rule, answered, why = "" }) => (
        <li key={rule} className={answered === true ? "answered" : undefined}>
          <span aria-hidden="true">{answered === true ? "→" : "·"}</span>
          <b>
            {rule}
            {answered === true ? <span className="sr"> answered</span> : null}
          </b>
          <span>{printable(why)}</span>
        </li>
      ))}
    </ol>
  );
}

function NodesConsidered({ decision: { nodes = [] } }: { readonly decision: DecisionStoryJson }) {
  return (
    <Part title="Nodes that were considered" count={nodes.length} open>
      <table>
        <thead>
          <tr>
            <th>node</th>
            <th>excluded</th>
            <th>why</th>
            <th>confidence</th>
            <th>expires</th>
          </tr>
        </thead>
        <tbody>
          {nodes.map(({ node, excluded, why = "", confidence, expiresAt }) => (
            <tr key={node}>
              <th scope="row">{printable(node ?? "")}</th>
              <td>{excluded === true ? "yes" : "no"}</td>
              <td>{printable(why)}</td>
              <td>{typeof confidence === "number" ? `${Math.round(confidence * 100)} %` : ""}</td>
              <td>{expiresAt === undefined ? "" : <Ago at={expiresAt} />}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Part>
  );
}

function Progress({ story: { progress = {} } }: { readonly story: AttemptStoryJson }) {
  const { firstStep, lastStep, lastStepAt, checkpointStep, resumedFromStep, logReadAt } = progress;
  const facts: readonly (readonly [string, ReactNode])[] = [
    ["resumed from step", resumedFromStep],
    ["first step seen", firstStep],
    ["last step seen", lastStep],
    ["last step", lastStepAt === undefined ? undefined : <Ago at={lastStepAt} />],
    ["newest checkpoint", checkpointStep],
    ["logs read up to their end", logReadAt === undefined ? undefined : <Ago at={logReadAt} />],
  ];
  const known = facts.filter(([, value]) => value !== undefined);
  return (
    <Part title="Training" count={known.length}>
      <table>
        <tbody>
          {known.map(([name, value]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>{value}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Part>
  );
}

function Steps({ story: { steps = [] } }: { readonly story: AttemptStoryJson }) {
  return (
    <Part title="Steps that were sent to Slurm" count={steps.length}>
      <table>
        <thead>
          <tr>
            <th>begun</th>
            <th>step</th>
            <th>outcome</th>
            <th>took</th>
            <th>words</th>
          </tr>
        </thead>
        <tbody>
          {steps.map(({ key, action, begunAt, endedAt, outcome = "", detail = "" }) => {
            const [begun, ended] = [instant(begunAt), instant(endedAt)];
            return (
              <tr key={key}>
                <td>{begun === undefined ? "" : clockTime(begun)}</td>
                <th scope="row">{action}</th>
                <td>{outcome === "" ? "begun, no end is known" : outcome}</td>
                <td>{begun === undefined || ended === undefined ? "" : duration(ended - begun)}</td>
                <td>{printable(detail)}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </Part>
  );
}

function Generations({ story: { advice = [] } }: { readonly story: AttemptStoryJson }) {
  return (
    <Part title="Generations of the Advice" count={advice.length}>
      <table>
        <tbody>
          {advice.map((one) => (
            <tr key={one.generation}>
              <th scope="row">{one.generation}</th>
              <td>{adviceSentence(one)}</td>
              <td>{one.because}</td>
              <td>{statusSentence(one)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Part>
  );
}

function Orders({ story: { overrides = [] } }: { readonly story: AttemptStoryJson }) {
  return (
    <Part title="What people ordered" count={overrides.length} open>
      <ul className="lines">
        {overrides.map(({ action, by = "", reason = "", at }) => (
          <li key={`${at} ${action}`}>
            <b>{action}</b> by {printable(by)} <Ago at={at} />: {printable(reason)}
          </li>
        ))}
      </ul>
    </Part>
  );
}
