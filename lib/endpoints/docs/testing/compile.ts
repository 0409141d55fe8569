import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { run } from '@/components/rpc/snippets/testing'

const STRICT = {
  target: 'ES2023',
  lib: ['dom', 'esnext'],
  module: 'nodenext',
  moduleResolution: 'nodenext',
  moduleDetection: 'force',
  strict: true,
  noUncheckedIndexedAccess: true,
  noEmit: true,
  skipLibCheck: true,
  types: ['node'],
}

/** Compiles the programs in a folder's `src` under strict settings. @throws Error with the compiler's messages. */
export async function compile(folder: string): Promise<void> {
  const settings = { compilerOptions: STRICT, include: ['src/*.mts'] }
  await writeFile(path.join(folder, 'tsconfig.json'), JSON.stringify(settings))
  await run(process.execPath, [path.resolve('node_modules', 'typescript', 'bin', 'tsc'), '-p', folder])
}
