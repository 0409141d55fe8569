import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'

/**
 * The first line of a script by which Chromium compiles its functions while it arrives, and not on the page's own thread when
 * each is first called. Other browsers take it for a comment. Source: https://v8.dev/blog/explicit-compile-hints
 */
export const COMPILE_HINT = '//# allFunctionsCalledOnLoad\n'

/** Larger scripts are libraries of which a page calls a small part: to draw diagrams, to sign. Bytes. */
const MOST_BYTES = 256 * 1024

/** Gives the scripts of a build the hint, those that have it already left out. */
export async function addCompileHints(root: string): Promise<void> {
  const folder = path.join(root, '.next', 'static', 'chunks')
  const names = (await readdir(folder)).filter((name) => name.endsWith('.js'))
  await Promise.all(
    names.map(async (name) => {
      const file = path.join(folder, name)
      if ((await stat(file)).size > MOST_BYTES) return
      const script = await readFile(file, 'utf8')
      if (!script.startsWith(COMPILE_HINT)) await writeFile(file, COMPILE_HINT + script)
    }),
  )
}
