/**
 * line: a TCP line to some server, on a port of its own, that a test can cut and mend.
 *
 * Keeps   cut, it ends the connections that there are, and every new one at once.
 */
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

export interface Line {
  readonly port: number;
  cut(): void;
  mend(): void;
  close(): void;
}

/** @param to The port of the server, on this machine. */
export async function openLine(to: number): Promise<Line> {
  const ends = new Set<Socket>();
  let isCut = false;
  const cut = () => {
    isCut = true;
    for (const end of ends) end.destroy();
  };
  const server = createServer((near) => {
    if (isCut) return void near.destroy();
    const far = connect(to, "127.0.0.1");
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      ends.add(one);
      one.on("error", () => {}); // Its close tells.
      one.once("close", () => {
        ends.delete(one);
        other.destroy();
      });
      one.pipe(other);
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    cut,
    mend: () => void (isCut = false),
    close() {
      cut();
      server.close();
    },
  };
}
