import { readFile, writeFile } from 'node:fs/promises'
import { expect } from '@playwright/test'

const PAGE = 'docs/compatibility.md'

/**
 * Holds a part of docs/compatibility.md against what a test saw; with `UPDATE_DOCS=1` the page gets it. A part is what begins
 * with a heading of the first level, and each is written by a test of its own.
 */
export async function expectPart(part: string): Promise<void> {
  const [heading] = part.split('\n', 1)
  const parts = (await readFile(PAGE, 'utf8')).split(/^(?=# )/m).map((one) => one.trimEnd())
  const at = parts.findIndex((one) => one.split('\n', 1)[0] === heading)
  if (process.env.UPDATE_DOCS) {
    const changed = at < 0 ? [...parts, part.trimEnd()] : parts.with(at, part.trimEnd())
    await writeFile(PAGE, `${changed.join('\n\n')}\n`)
    return
  }
  expect(parts[at]).toBe(part.trimEnd())
}
