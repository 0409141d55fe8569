import { createHash } from 'node:crypto'
import { chmodSync, lstatSync, mkdirSync, rmSync } from 'node:fs'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { z } from 'zod'
import { config } from '@/lib/kernel/config'
import type { Answer } from '@/server/admin/command'
import { commandOf, runAdmin } from '@/server/admin/run'

const MAX_REQUEST_BYTES = 64 * 1024
const MAX_REPLY_BYTES = 8 * 1024 * 1024
const MAX_CONNECTIONS = 4
const IDLE_MS = 60_000
/** Unix sockets allow 107 bytes of path. */
const MAX_PATH_BYTES = 100

const Request = z.strictObject({ argv: z.array(z.string()).max(64), secret: z.string().optional() })
const Reply = z.object({ exitCode: z.number(), output: z.string(), json: z.unknown() })

/**
 * Serves admin commands over a socket that only this user can open, while this process has the embedded database: it
 * allows one process, and revocations must reach this process's caches. With PostgreSQL commands connect to the
 * database themselves.
 */
export async function serveAdmin(): Promise<{ close: () => Promise<void> }> {
  if (config().databaseUrl !== undefined) return { close: async () => undefined }
  const file = socketPath()
  // Whoever has the embedded database open is alone on it, so a socket that is there was left by a dead process.
  removeSocket(file)
  const server = createServer((socket) => void serve(socket))
  server.maxConnections = MAX_CONNECTIONS
  await listenPrivately(server, file)
  server.unref()
  return {
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        removeSocket(file)
      }),
  }
}

export async function askServer(argv: string[], secret?: string): Promise<Answer | undefined> {
  const socket = connect(socketPath())
  try {
    await once(socket)
  } catch {
    return undefined
  }
  try {
    socket.write(`${JSON.stringify({ argv, secret })}\n`)
    return Reply.parse(JSON.parse(await readLine(socket, MAX_REPLY_BYTES)))
  } finally {
    socket.destroy()
  }
}

async function serve(socket: Socket): Promise<void> {
  socket.on('error', () => socket.destroy())
  socket.setTimeout(IDLE_MS, () => socket.destroy())
  try {
    const { argv, secret } = Request.parse(JSON.parse(await readLine(socket, MAX_REQUEST_BYTES)))
    // A command may take longer, as one that waits for a model does.
    socket.setTimeout(0)
    if (!commandOf(argv)?.needsDatabase) throw new Error('not a command for the server')
    socket.end(`${JSON.stringify(await runAdmin(argv, secret))}\n`)
  } catch {
    socket.destroy()
  }
}

/** A Windows pipe ends with its process, and by default only its user and administrators can write to it. */
const isWindows = process.platform === 'win32'

function removeSocket(file: string): void {
  if (!isWindows) rmSync(file, { force: true })
}

/** Creates the file for its owner alone; Node creates it within the call, so the mask affects nothing else. */
async function listenPrivately(server: Server, file: string): Promise<void> {
  const listening = new Promise<void>((resolve, reject) => server.once('listening', resolve).once('error', reject))
  const mask = process.umask(0o177)
  try {
    server.listen(file)
  } finally {
    process.umask(mask)
  }
  await listening
  if (!isWindows) chmodSync(file, 0o600)
}

/** `DATA_DIR/admin.sock`, or a private temporary folder where that path is too long; on Windows a named pipe. */
export function socketPath(): string {
  const { dataDir } = config()
  const digest = createHash('sha256').update(dataDir).digest('hex').slice(0, 16)
  if (isWindows) return `\\\\.\\pipe\\service-${digest}`
  const usual = path.join(dataDir, 'admin.sock')
  if (Buffer.byteLength(usual) <= MAX_PATH_BYTES) {
    mkdirSync(dataDir, { recursive: true })
    return usual
  }
  const folder = path.join(tmpdir(), `service-${process.getuid?.() ?? 0}-${digest}`)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const { uid, mode } = lstatSync(folder)
  if (uid !== (process.getuid?.() ?? uid) || (mode & 0o077) !== 0) {
    throw new Error(`${folder} belongs to somebody else. Set DATA_DIR to a shorter path.`)
  }
  return path.join(folder, 'admin.sock')
}

function once(socket: Socket): Promise<void> {
  return new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject))
}

async function readLine(socket: Socket, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  // The answer goes over the same socket, so reading must not end it.
  for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
    if (!Buffer.isBuffer(chunk)) break
    const end = chunk.indexOf(0x0a)
    chunks.push(end < 0 ? chunk : chunk.subarray(0, end))
    size += chunk.length
    if (size > maxBytes) throw new Error('the line is too long')
    if (end >= 0) return Buffer.concat(chunks).toString('utf8')
  }
  throw new Error('the other side left')
}
