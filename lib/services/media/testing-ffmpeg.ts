/**
 * Makes audio and video for tests with the same ffmpeg that reads them, in a process of its own: `jobs` on its standard
 * input are lists of arguments, each ending with the file to make; the files come back on its standard output.
 */
import { readFileSync, writeSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { deserialize, serialize } from 'node:v8'

export type Job = { args: string[]; files?: Record<string, Uint8Array> }

const jobs: Job[] = deserialize(readFileSync(0))
Object.assign(globalThis, { self: globalThis, location: { href: 'file:///' } })
const { default: create } = await import('@ffmpeg/core')
const module = await WebAssembly.compile(readFileSync(fileURLToPath(import.meta.resolve('@ffmpeg/core/wasm'))))
const made: Uint8Array[] = []
for (const { args, files = {} } of jobs) {
  const core = await create({
    instantiateWasm: (imports, ready) => {
      WebAssembly.instantiate(module, imports).then((instance) => ready(instance, module))
      return {}
    },
  })
  core.setLogger(() => undefined)
  for (const [name, bytes] of Object.entries(files)) core.FS.writeFile(name, bytes)
  core.exec('-nostdin', '-v', 'error', ...args)
  made.push(core.FS.readFile(args.at(-1) ?? ''))
}
const reply = serialize(made)
for (let at = 0; at < reply.length; ) at += writeSync(1, reply, at)
