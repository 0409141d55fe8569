import { glob, readFile } from 'node:fs/promises'

/** The file of a test by what its path begins with and words of the test's name. @throws Error when there is none. */
export type FileOfTest = (beginning: string, name: string) => string

/** Reads every file of tests once. */
export async function testFinder(): Promise<FileOfTest> {
  const texts = new Map<string, string>()
  const files = await Array.fromAsync(glob('{app,components,e2e,lib,server}/**/*.{test,spec}.{ts,tsx}'))
  for (const file of files.sort()) texts.set(file, await readFile(file, 'utf8'))
  return (beginning, name) => {
    const found = [...texts].find(([file, text]) => file.startsWith(beginning) && text.includes(name))
    if (!found) throw new Error(`no test below ${beginning} is called: ${name}`)
    return found[0]
  }
}
