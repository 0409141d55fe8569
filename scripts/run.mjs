// Runs scripts/<command>.ts: `node scripts/run.mjs <command> [arguments]`.
// Plain JavaScript without dependencies: it works on a machine that has only Node 18 and npm, before anything is installed.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { constants } from 'node:os'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

// From version 25 on Node has a `localStorage`, which warns when a page that is rendered asks whether there is one.
// On a machine with much memory Node lets young objects pile up: 130 MB more, for the same CPU. They are collected by one
// thread: several take no less time where the other cores are at work, and more of their CPU (docs/performance.md).
const NODE_FLAGS = [
  '--enable-source-maps',
  '--max-semi-space-size=16',
  '--no-parallel-scavenge',
  '--no-experimental-webstorage',
]
// By default glibc keeps up to 64 MB of what was freed, more the larger the blocks are that a program frees. Once that is
// limited, blocks of 128 kB and more, such as a long prompt's, are mapped anew each time unless it is told a higher size.
const MALLOC = { MALLOC_TRIM_THRESHOLD_: '2097152', MALLOC_MMAP_THRESHOLD_: '1048576' }
const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..')
const STAMP = path.join(ROOT, 'node_modules', '.service-install')
/** Older ones cost more CPU and lack APIs that the product uses. */
const MIN_NODE = [22, 18]
/** Work that takes longer says that it goes on. */
const QUIET_MS = 2_000
const TERMINAL_TICK_MS = 200
const PLAIN_TICK_MS = 5_000
const PARENT_CHECK_MS = 500
const MAX_OUTPUT_CHARS = 200_000

const [command, ...args] = process.argv.slice(2)
process.chdir(ROOT)
process.exitCode = await main()

async function main() {
  const entry = command && path.join(ROOT, 'scripts', `${command}.ts`)
  if (!entry || !/^[a-z][a-z0-9-]*$/.test(command) || !existsSync(entry)) {
    console.error(`Usage: node scripts/run.mjs <${commands().join('|')}> [arguments]`)
    return 2
  }
  const isInstalled = await install()
  if (!isInstalled) return 1
  const node = chooseNode()
  if (!node) return 1
  const bundle = path.join(ROOT, '.cache', 'scripts', `${path.basename(entry, '.ts')}.mjs`)
  const isBundled = await bundleEntry(entry, bundle)
  if (!isBundled) return 1
  // Tests bring their own settings; the operator's must not change what they prove.
  const environment = existsSync('.env') && !['test', 'check'].includes(command) ? ['--env-file=.env'] : []
  return run(node, [...environment, ...NODE_FLAGS, bundle, ...args])
}

function commands() {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'))
  return Object.values(scripts).map((script) => script.replace('node scripts/run.mjs ', ''))
}

/** Brings node_modules to what package-lock.json says. Does nothing, and needs no network, when it is so already. */
async function install() {
  const lock = readFileSync('package-lock.json')
  const wanted = `${createHash('sha256').update(lock).digest('hex')} ${process.platform}-${process.arch}`
  if (existsSync(STAMP) && readFileSync(STAMP, 'utf8') === wanted) return true
  if (!matchesLock(JSON.parse(lock))) {
    // Run by npm, the very npm that runs us; by hand, the one on the path.
    const npm = process.env.npm_execpath
    const [program, first] = npm?.endsWith('.js') ? [process.execPath, [npm]] : ['npm', []]
    const options = ['ci', '--include=dev', '--include=optional', '--no-audit', '--no-fund', '--loglevel=error']
    const code = await quietly('Installing packages', program, [...first, ...options])
    if (code !== 0) {
      console.error(
        'The packages could not be installed. The first start needs a package registry; see the lines above.',
      )
      return false
    }
  }
  writeFileSync(STAMP, wanted)
  return true
}

/** Somebody ran `npm ci` by hand: every package that is not optional stands there in the version of the lock. */
function matchesLock(lock) {
  const hidden = path.join('node_modules', '.package-lock.json')
  if (!existsSync(hidden)) return false
  const installed = JSON.parse(readFileSync(hidden, 'utf8')).packages
  return Object.entries(lock.packages).every(
    ([place, { version, optional, devOptional }]) =>
      place === '' || optional || devOptional || installed[place]?.version === version,
  )
}

/** The Node that runs this, or the one that came with the packages when this is too old. */
function chooseNode() {
  const [major, minor] = process.versions.node.split('.').map(Number)
  if (major > MIN_NODE[0] || (major === MIN_NODE[0] && minor >= MIN_NODE[1])) return process.execPath
  const name = `node-${process.platform}-${process.arch}`
  const node = path.join(ROOT, 'node_modules', name, 'bin', 'node')
  if (!existsSync(node)) {
    console.error(
      `This machine's Node is ${process.version}; the product needs ${MIN_NODE.join('.')} or newer, and the package ${name} that would bring it is not installed. Install a newer Node, then try again.`,
    )
    return undefined
  }
  const version = JSON.parse(readFileSync(path.join('node_modules', name, 'package.json'), 'utf8')).version
  console.error(
    `Node ${process.version} is older than the product needs; using Node ${version} from node_modules/${name}.`,
  )
  return node
}

/** One file of our own code that Node can run; packages stay where they are. */
async function bundleEntry(entry, outfile) {
  const { build } = await import(pathToFileURL(path.join(ROOT, 'node_modules', 'esbuild', 'lib', 'main.js')).href)
  try {
    await build({
      entryPoints: [entry],
      outfile,
      bundle: true,
      platform: 'node',
      format: 'esm',
      target: 'node22',
      packages: 'external',
      alias: { 'server-only': path.join(ROOT, 'lib', 'kernel', 'empty.ts') },
      tsconfig: path.join(ROOT, 'tsconfig.json'),
      sourcemap: 'linked',
      logLevel: 'error',
    })
    return true
  } catch {
    // esbuild has said where and why.
    return false
  }
}

/** Runs the command in our place: its terminal, its signals, its exit code. */
function run(node, nodeArgs) {
  return new Promise((resolve) => {
    const child = spawn(node, nodeArgs, { stdio: 'inherit', env: { ...MALLOC, ...process.env } })
    let isTold = false
    const pass = (signal) => {
      isTold = true
      child.kill(signal)
    }
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, pass)
    // npm hands a signal to its shell, and the shell ends without handing it on: then this process gets a new parent.
    const parent = process.ppid
    const watch = setInterval(() => {
      if (process.env.npm_lifecycle_event === undefined || process.ppid === parent) return
      clearInterval(watch)
      pass('SIGTERM')
    }, PARENT_CHECK_MS)
    watch.unref()
    child.once('error', (error) => {
      console.error(`${node} could not be started: ${error.message}`)
      resolve(1)
    })
    child.once('exit', (code, signal) => {
      // Such as by a machine that ran out of memory: it could not say so itself.
      if (signal && !isTold) console.error(`${command} was ended from outside by ${signal}.`)
      resolve(code ?? 128 + (constants.signals[signal] ?? 0))
    })
  })
}

/** Runs a program without its output, which is shown only when it fails, and says how long it has been at it. */
function quietly(what, program, programArgs) {
  return new Promise((resolve) => {
    const startedAt = Date.now()
    // On Windows npm is a batch file, which needs a shell; its arguments are the constants above.
    const shell = process.platform === 'win32' && program === 'npm'
    const child = spawn(program, programArgs, { stdio: ['ignore', 'pipe', 'pipe'], shell })
    let output = ''
    const keep = (chunk) => {
      output = (output + chunk).slice(-MAX_OUTPUT_CHARS)
    }
    child.stdout.on('data', keep)
    child.stderr.on('data', keep)
    const isTerminal = process.stderr.isTTY
    const elapsed = () => `${Math.round((Date.now() - startedAt) / 1000)} s`
    const say = () => {
      if (Date.now() - startedAt < QUIET_MS) return
      process.stderr.write(isTerminal ? `\r${what} … ${elapsed()} ` : `${what} … ${elapsed()}\n`)
    }
    const ticker = setInterval(say, isTerminal ? TERMINAL_TICK_MS : PLAIN_TICK_MS)
    for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => child.kill(signal))
    const end = (code) => {
      clearInterval(ticker)
      process.stderr.write(`${isTerminal ? '\r' : ''}${what}: ${code === 0 ? 'done' : 'failed'} after ${elapsed()}\n`)
      if (code !== 0) process.stderr.write(output)
      resolve(code)
    }
    child.once('error', (error) => {
      keep(`${program}: ${error.message}\n`)
      end(1)
    })
    child.once('close', (code) => end(code ?? 1))
  })
}
