/** measured-port: a port whose calls are timed: how long each took, and how it ended. Changes nothing of what they do. */
import type { Clock } from "./clock.ts";

type Methods<P> = { [K in keyof P]: P[K] extends (...args: never[]) => Promise<unknown> ? K : never }[keyof P] & string;

/**
 * @param calls   Its methods that are timed.
 * @param told    Is told of each call that has ended; `answer` is absent when it failed.
 */
export function measuredPort<P extends object, const C extends Methods<P>>(
  port: P,
  calls: readonly C[],
  clock: Pick<Clock, "elapsed">,
  told: (call: C, seconds: number, answer: { readonly value: unknown } | undefined) => void,
): P {
  const timed = calls.map((name) => {
    const call = port[name] as (...args: unknown[]) => Promise<unknown>;
    const measured = async (...args: unknown[]) => {
      const began = clock.elapsed();
      const seconds = () => (clock.elapsed() - began) / 1_000;
      try {
        const value = await call.apply(port, args);
        told(name, seconds(), { value });
        return value;
      } catch (error) {
        told(name, seconds(), undefined);
        throw error;
      }
    };
    return [name, measured] as const;
  });
  return { ...port, ...Object.fromEntries(timed) };
}
