import { mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'

const FILE = path.join('artifacts', 'bench.json')

/** Writes what one bench measured into the report, and leaves there what others have. */
export async function addToReport(measured: object): Promise<void> {
  await mkdir(path.dirname(FILE), { recursive: true })
  const text = await readFile(FILE, 'utf8').catch(() => '{}')
  await writeFile(FILE, `${JSON.stringify({ ...JSON.parse(text), ...measured }, undefined, 2)}\n`)
}
