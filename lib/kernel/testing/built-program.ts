import path from 'node:path'
import { build } from 'esbuild'

export async function builtProgram(file: string): Promise<string> {
  const root = process.cwd()
  const outfile = path.join(root, '.cache', `${file.replaceAll('/', '-').replace(/\.ts$/, '')}.mjs`)
  await build({
    entryPoints: [path.join(root, file)],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    alias: { 'server-only': path.join(root, 'lib/kernel/empty.ts') },
  })
  return outfile
}
