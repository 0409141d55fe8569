import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type create from '@ffmpeg/core'
import type { FfmpegCore } from '@ffmpeg/core'
import { MediaError } from './media-error.ts'

const FFMPEG_MEMORY_BYTES = 512 * 1024 * 1024
const MAX_LOG_CHARS = 2_000

const GUARDS = ['-nostdin', '-v', 'error', '-protocol_whitelist', 'file,pipe', '-max_streams', '64']

type Input = { bytes: Uint8Array; others?: Record<string, Uint8Array> }

export type Run = { log: string; output: Uint8Array }
type Program = { create: typeof create; module: WebAssembly.Module }

let program: Promise<Program> | undefined

/**
 * Runs ffmpeg on a file, in an instance and a memory of its own.
 *
 * @param before options of the input; the demuxer is always named, so that nothing is guessed and no playlist opened.
 * @returns the file `output`, or empty bytes when there is none.
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
  let log = ''
  core.setLogger(({ message }) => {
    log = (log + message).slice(-MAX_LOG_CHARS)
  })
  // The program only reads it, so that no copy is needed.
  core.FS.writeFile('input', bytes, { canOwn: true })
  for (const [name, other] of Object.entries(others)) core.FS.writeFile(name, other, { canOwn: true })
  try {
    work(core)
  } catch (error) {
    // A trap: what the file made of the program's memory. What was written before may still be whole.
    log += String(error)
  }
  try {
    return { log, output: core.FS.readFile('output') }
  } catch {
    return { log, output: new Uint8Array() }
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

const PAGE_BYTES = 65_536
const MAGIC_BYTES = 8
const MEMORY_SECTION = 5

/**
 * Lowers the maximum memory that a WebAssembly module states, in place.
 *
 * @throws Error when the module states no bound, or a number of fewer bytes.
 */
export function limitMemory(module: Uint8Array, maxBytes: number): void {
  let at = MAGIC_BYTES
  while (at < module.length) {
    const section = module[at]
    const length = readNumber(module, at + 1)
    if (section === MEMORY_SECTION) {
      const count = readNumber(module, length.end)
      const flags = readNumber(module, count.end)
      if (count.value !== 1 || flags.value !== 1) throw new Error('the module states no bound of its memory')
      const min = readNumber(module, flags.end)
      const max = readNumber(module, min.end)
      writeNumber(module, min.end, max.end, maxBytes / PAGE_BYTES)
      return
    }
    at = length.end + length.value
  }
  throw new Error('the module states no memory')
}

function readNumber(bytes: Uint8Array, start: number): { value: number; end: number } {
  let value = 0
  let end = start
  let byte = 0x80
  for (let factor = 1; byte >= 0x80 && end < bytes.length; factor *= 128) {
    byte = bytes[end++] ?? 0
    value += (byte & 0x7f) * factor
  }
  return { value, end }
}

function writeNumber(bytes: Uint8Array, start: number, end: number, value: number): void {
  let rest = value
  for (let at = start; at < end; at++) {
    bytes[at] = (rest & 0x7f) | (at < end - 1 ? 0x80 : 0)
    rest >>>= 7
  }
  if (rest > 0) throw new Error('the number does not fit its place')
}
