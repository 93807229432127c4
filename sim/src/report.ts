/** report: a world that went wrong, in words: what it was, its last events, what was violated, and how to see it again. */
import type { Size } from "./draw-world.ts";
import type { Result } from "./simulate.ts";

const lastLines = 50;

export function report(seed: bigint, size: Size, { world, simulatedMs, steps }: Result): string {
  const { spec, diary, violation } = world;
  const { reprise, faults } = spec;
  const on = Object.entries(faults)
    .filter(([, v]) =>
      typeof v === "number" ? v > 0 : typeof v === "object" && Object.values(v as object).some((x) => x !== 0),
    )
    .map(([name]) => name.replace(/EveryMs$/, ""));
  const lines = [
    `── world ${seed}: Slurm ${spec.settings.release ?? "22.05"}, ${spec.nodes.length} nodes, ${spec.jobs.length} jobs, ${(simulatedMs / 3_600_000).toFixed(1)} h; ${reprise.mode} mode${reprise.hasSecondSac ? ", two SACs" : ""}; ${steps} commands, ${diary.count} lines, ${world.clock.taken} events`,
    `   troubles: ${on.join(", ") || "none"}`,
  ];
  if (violation === undefined) return [...lines, "   nothing is wrong"].join("\n");
  return [
    ...lines,
    ...diary.lines.slice(-lastLines),
    `   VIOLATED  ${violation.checker}: ${violation.text}`,
    `   again     make sim SEED=${seed}${size === "small" ? " SIZE=small" : ""}`,
  ].join("\n");
}
