/**
 * Goal    what is read of a script is what sbatch would send, and every character of the comment knows where it stands.
 * Method  a table of lines; any comment in either kind of quotes reads back.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import { readSbatchScript } from "./sbatch-script.ts";

// biome-ignore format: a table
test.each<[what: string, lines: string, comment: string | undefined]>([
  ["single quotes", `#SBATCH --comment='{"a": 1}'`, '{"a": 1}'],
  ["double quotes with escapes", `#SBATCH --comment="{\\"a\\": 1}"`, '{"a": 1}'],
  ["a backslash is taken away inside single quotes too", `#SBATCH --comment='{"a": "\\n"}'`, '{"a": "n"}'],
  ["without quotes the first blank ends it", `#SBATCH --comment={"a": 1}`, "{a:"],
  ["an unquoted # ends the line", `#SBATCH --comment=my#run`, "my"],
  ["a # in quotes does not", `#SBATCH --comment='my #run'`, "my #run"],
  ["as the next word", `#SBATCH --comment '{"a": 1}'`, '{"a": 1}'],
  ["beside others on one line", `#SBATCH -N 2 --comment=x --exclusive`, "x"],
  ["the last one counts", `#SBATCH --comment=x\n#SBATCH --comment=y`, "y"],
  ["nothing is substituted", `#SBATCH --comment="$HOME"`, "$HOME"],
  ["behind a comment and an empty line", `# words\n\n#SBATCH --comment=x`, "x"],
  ["behind a command it is not read", `module load x\n#SBATCH --comment=x`, undefined],
  ["not at the beginning of its line", ` #SBATCH --comment=x`, undefined],
  ["switched off", `##SBATCH --comment=x`, undefined],
])("%s", (_what, lines, comment) => {
  expect(readSbatchScript(`#!/bin/bash\n${lines}\npython train.py\n`).comment?.text).toBe(comment);
});

test("the other options that matter are read, in their long and short forms", () => {
  const script = "#!/bin/sh\n#SBATCH -pgpu,long -d afterok:12 --no-requeue\n#SBATCH -H --kill-on-invalid-dep=yes\n";
  expect(readSbatchScript(script)).toEqual({
    partition: "gpu,long",
    dependency: "afterok:12",
    requeue: false,
    isHeld: true,
    killsOnInvalidDependency: true,
    unreadLines: [],
  });
});

test("a line behind the first command is named", () => {
  expect(readSbatchScript("#!/bin/sh\necho\n#SBATCH --requeue\n").unreadLines).toEqual([3]);
});

test.each([
  ['#SBATCH --comment=\'{"a": 1}', "the quote ' is not closed", 18],
  ["#SBATCH : x", 'unexpected ":"', 8],
])("what sbatch refuses is refused with its place: %s", (line, because, offset) => {
  expect(readSbatchScript(line).problem).toMatchObject({ because: expect.stringContaining(because), offset });
});

test("any comment in quotes arrives whole, and each character knows its place", () => {
  const line = fc.string({ unit: "binary" }).filter((text) => !/[\n\0]/.test(text));
  fc.assert(
    fc.property(line, fc.constantFrom("'", '"'), (comment, quote) => {
      const quoted = comment.replaceAll("\\", "\\\\").replaceAll(quote, `\\${quote}`);
      const script = `#!/bin/sh\n#SBATCH --comment=${quote}${quoted}${quote}\n`;
      const read = readSbatchScript(script).comment;
      expect(read?.text).toBe(comment);
      expect(
        [...(read?.offsets ?? [])]
          .slice(0, -1)
          .map((offset) => script[offset])
          .join(""),
      ).toBe(comment);
    }),
  );
});
