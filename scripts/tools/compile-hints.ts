import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'

/**
 * First line of a script that has Chromium compile its functions while it arrives; a comment for other browsers.
 * Source: https://v8.dev/blog/explicit-compile-hints
 */
export const COMPILE_HINT = '//# allFunctionsCalledOnLoad\n'

const MAX_BYTES = 256 * 1024

export async function addCompileHints(root: string): Promise<void> {
  const folder = path.join(root, '.next', 'static', 'chunks')
  const names = (await readdir(folder)).filter((name) => name.endsWith('.js'))
  await Promise.all(
    names.map(async (name) => {
      const file = path.join(folder, name)
      if ((await stat(file)).size > MAX_BYTES) return
      const script = await readFile(file, 'utf8')
      if (!script.startsWith(COMPILE_HINT)) await writeFile(file, COMPILE_HINT + script)
    }),
  )
}
