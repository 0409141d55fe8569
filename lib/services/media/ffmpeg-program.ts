import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type create from '@ffmpeg/core'
import type { FfmpegCore } from '@ffmpeg/core'
import { MediaError } from './media-error.ts'
import { limitMemory } from './wasm-memory.ts'

/** What the program may allocate; the file and what is made of it lie outside. */
const FFMPEG_MEMORY_BYTES = 512 * 1024 * 1024
/** Kept of what the program says, for the log. */
const MAX_SAID_CHARS = 2_000

/** Nothing else is opened, whatever a file names. */
const GUARDS = ['-nostdin', '-v', 'error', '-protocol_whitelist', 'file,pipe', '-max_streams', '64']

/** One file, and further ones by their names, which the options mention. */
type Input = { bytes: Uint8Array; others?: Record<string, Uint8Array> }

export type Run = { said: string; output: Uint8Array }
type Program = { create: typeof create; module: WebAssembly.Module }

let program: Promise<Program> | undefined

/**
 * Runs ffmpeg on a file, in an instance and a memory of its own.
 *
 * @param before options of the input; the demuxer is always named, so that nothing is guessed and no playlist opened.
 * @returns what it wrote to the file `output`, and empty bytes when that is nothing.
 */
export async function ffmpeg(
  input: Input & { demuxer: string },
  options: { before?: string[]; after: string[]; timeoutMs: number },
): Promise<Run> {
  return await run(input, (core) => {
    core.setTimeout(Math.max(1, Math.round(options.timeoutMs)))
    core.exec(...GUARDS, ...(options.before ?? []), '-f', input.demuxer, '-i', 'input', ...options.after, 'output')
  })
}

/** What ffprobe writes about a file, as text. */
export async function ffprobe(input: { bytes: Uint8Array; demuxer: string }, entries: string): Promise<string> {
  const { output } = await run(input, (core) => {
    const guards = GUARDS.filter((option) => option !== '-nostdin')
    core.ffprobe(...guards, '-f', input.demuxer, '-show_entries', entries, '-of', 'json', '-o', 'output', 'input')
  })
  return new TextDecoder().decode(output)
}

async function run({ bytes, others = {} }: Input, work: (core: FfmpegCore) => void): Promise<Run> {
  program ??= loadProgram(process.argv[3] ?? '')
  const { create, module } = await program
  const core = await create({
    instantiateWasm: (imports, ready) => {
      WebAssembly.instantiate(module, imports).then((instance) => ready(instance, module))
      return {}
    },
  })
  let said = ''
  core.setLogger(({ message }) => {
    said = (said + message).slice(-MAX_SAID_CHARS)
  })
  // The program only reads it, so that no copy is needed.
  core.FS.writeFile('input', bytes, { canOwn: true })
  for (const [name, other] of Object.entries(others)) core.FS.writeFile(name, other, { canOwn: true })
  try {
    work(core)
  } catch (error) {
    // A trap: what the file made of the program's memory. What was written before may still be whole.
    said += String(error)
  }
  try {
    return { said, output: core.FS.readFile('output') }
  } catch {
    return { said, output: new Uint8Array() }
  }
}

async function loadProgram(name: string): Promise<Program> {
  // It was built for a browser's worker and looks for one.
  Object.assign(globalThis, { self: globalThis, location: { href: 'file:///' } })
  try {
    const { default: create } = await import(name)
    const bytes = await readFile(fileURLToPath(import.meta.resolve(`${name}/wasm`)))
    limitMemory(bytes, FFMPEG_MEMORY_BYTES)
    return { create, module: await WebAssembly.compile(bytes) }
  } catch (cause) {
    const message = 'Reading this kind of audio or video is not available on this server: its decoder is not installed.'
    throw new MediaError('unavailable', message, { cause })
  }
}
