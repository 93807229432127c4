/**
 * places: which node a line is about.
 *
 * In the loop   what a line names (host, rank, task, address) → **nodes of the attempt**
 * Takes         the attempt's nodes in order; then what lines of its log tell of who is where.
 * Gives         names out of that list only; empty when nothing points at one of them.
 * Keeps         a host named in the line wins over a rank; a rank over a label of srun; a guess is never made where two
 *               readings differ.
 * Source        design §6: rank r runs on nodes[floor(r / ranks per node)], as srun and torchrun place them by default.
 */
import type { Names } from "../match/signature.ts";
import type { Speaker } from "../match/speaker.ts";

const knownMax = 100_000;

export class Places {
  private readonly nodes: readonly string[];
  private readonly byShortName: ReadonlyMap<string, string>;
  private ranksPerNode: number;
  private readonly nodeOfAddress = new Map<string, string>();
  private readonly nodeOfRank = new Map<number, string>();
  private highestTask = -1;
  private coordinator: string | undefined;

  /** @param gpusPerNode 0: not known. */
  constructor(nodes: readonly string[], gpusPerNode: number) {
    this.nodes = nodes;
    this.byShortName = new Map(nodes.map((node) => [short(node), node]));
    this.ranksPerNode = gpusPerNode;
  }

  isOf(nodes: readonly string[]): boolean {
    return nodes.length === this.nodes.length && nodes.every((node, index) => node === this.nodes[index]);
  }

  learnAddress(address: string, host: string): void {
    const node = this.named(host);
    if (node !== undefined && this.nodeOfAddress.size < knownMax) this.nodeOfAddress.set(address, node);
  }

  /** Where all ranks meet; until a line says so it is the first node, as launchers take it. */
  learnCoordinator(host: string | undefined, address: string | undefined): void {
    if (host !== undefined && address !== undefined) this.learnAddress(address, host);
    this.coordinator = this.named(host) ?? this.named(address) ?? this.coordinator;
  }

  learnRank(rank: number, host: string): void {
    const node = this.named(host);
    if (node !== undefined && this.nodeOfRank.size < knownMax) this.nodeOfRank.set(rank, node);
  }

  /** The program's own count wins over the GPUs of a node: not every job runs one rank on each. */
  learnWorldSize(ranks: number): void {
    if (ranks > 0 && this.nodes.length > 0 && ranks % this.nodes.length === 0)
      this.ranksPerNode = ranks / this.nodes.length;
  }

  learnTask({ task }: Speaker): void {
    if (task !== undefined) this.highestTask = Math.max(this.highestTask, task);
  }

  /** @param captures `host`, `peer` and `rank` where the signature has them. */
  nodesOf(
    text: string,
    captures: Readonly<Record<string, string>>,
    speaker: Speaker,
    names: Names = "line",
  ): readonly string[] {
    if (names === "nobody") return [];
    const [host, peer] = [this.named(captures["host"]), this.named(captures["peer"])];
    if (host !== undefined || peer !== undefined) return [...new Set([host, peer].filter((n) => n !== undefined))];
    if (names === "coordinator") return [this.coordinator ?? this.nodes[0]].filter((n) => n !== undefined);
    const rank = captures["rank"] === undefined ? speaker.rank : Number(captures["rank"]);
    const node =
      this.before(text) ??
      this.named(speaker.host) ??
      this.ofRank(rank) ??
      this.ofTask(speaker.task) ??
      this.onlyOneIn(text) ??
      this.onlyNode();
    return node === undefined ? [] : [node];
  }

  private named(name: string | undefined): string | undefined {
    if (name === undefined) return undefined;
    return this.nodeOfAddress.get(name) ?? (/^[\d.]+$/.test(name) ? undefined : this.byShortName.get(short(name)));
  }

  /** `node-a: …` and NCCL's `node-a:2113:2342 [0] …`. */
  private before(text: string): string | undefined {
    return this.named(/^\s*([\w.-]+):(?:\d+:\d+\s|\s)/.exec(text)?.[1]);
  }

  private ofRank(rank: number | undefined): string | undefined {
    if (rank === undefined) return undefined;
    const told = this.nodeOfRank.get(rank);
    if (told !== undefined || this.ranksPerNode === 0) return told;
    return this.nodes[Math.floor(rank / this.ranksPerNode)];
  }

  /** A label above the number of nodes shows that tasks are ranks; below it each may be a node's launcher. */
  private ofTask(task: number | undefined): string | undefined {
    if (task === undefined) return undefined;
    if (this.highestTask >= this.nodes.length) return this.ofRank(task);
    const [asRank, asLauncher] = [this.ofRank(task), this.nodes[task]];
    return asRank === asLauncher ? asLauncher : undefined;
  }

  private onlyOneIn(text: string): string | undefined {
    const named = new Set<string>();
    for (const word of text.match(/[A-Za-z][\w.-]*/g) ?? []) {
      const node = this.named(word.replace(/[.-]+$/, ""));
      if (node !== undefined) named.add(node);
    }
    const [only, ...others] = named;
    return others.length === 0 ? only : undefined;
  }

  private onlyNode(): string | undefined {
    return this.nodes.length === 1 ? this.nodes[0] : undefined;
  }
}

const short = (name: string) => name.split(".", 1)[0] ?? name;
