import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { resetPerProcess } from '@/lib/kernel/per-process'
import { eventually } from '@/lib/kernel/testing/time'
import { rails } from '@/lib/services/chains/rails'
import { Sandbox, sandbox, sandboxFile } from '@/lib/services/chains/sandbox'
import { withEnvironment } from '@/lib/services/identity/testing'
import { buildSandbox } from '@/scripts/tools/build'
import { startSandbox } from '@/server/sandbox'

const program = path.join(process.cwd(), 'sandbox', 'dist', 'main.mjs')
const folder = mkdtempSync(path.join(tmpdir(), 'server-sandbox-'))
beforeAll(() => buildSandbox(process.cwd()))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const inFolder = (name: string, run: (dataDir: string) => Promise<void>) => {
  const dataDir = path.join(folder, name)
  resetPerProcess('sandbox')
  return withEnvironment({ DATA_DIR: dataDir, LOG_LEVEL: 'silent' }, () => run(dataDir))
}

async function isUp(url: string, method: string): Promise<boolean> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: [] })
  return fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body }).then(
    ({ ok }) => ok,
    () => false,
  )
}

const areUp = async ({ evmUrl, solanaUrl }: Sandbox) =>
  (await isUp(evmUrl, 'eth_chainId')) && (await isUp(solanaUrl, 'getHealth'))

function pidOfChains(dataDir: string): number {
  const command = `${program}\0${path.join(dataDir, 'sandbox')}\0`
  const pid = readdirSync('/proc').find((name) => /^\d+$/.test(name) && commandOf(name).endsWith(command))
  if (!pid) throw new Error('the chains do not run')
  return Number(pid)
}
const commandOf = (pid: string): string => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return ''
  }
}

test('the chains run when the start is over, and are gone when they are closed', async () => {
  await inFolder('whole', async (dataDir) => {
    const chains = await startSandbox(program)
    const known = sandbox()!
    expect(await areUp(known)).toBe(true)
    expect(rails().map(({ family, payTo }) => [family, payTo])).toEqual([
      ['evm', known.payTo.evm],
      ['solana', known.payTo.solana],
    ])
    await chains?.close()
    expect(await areUp(known)).toBe(false)
    expect(existsSync(sandboxFile(dataDir))).toBe(false)
  })
})

test.skipIf(process.platform !== 'linux')('chains that died are started again, where they were', async () => {
  await inFolder('again', async (dataDir) => {
    const chains = await startSandbox(program)
    const known = Sandbox.parse(JSON.parse(readFileSync(sandboxFile(dataDir), 'utf8')))
    const killed = pidOfChains(dataDir)
    process.kill(killed, 'SIGKILL')
    await eventually(() => expect(pidOfChains(dataDir)).not.toBe(killed))
    await eventually(async () => expect(await areUp(known)).toBe(true))
    expect(Sandbox.parse(JSON.parse(readFileSync(sandboxFile(dataDir), 'utf8')))).toEqual(known)
    await chains?.close()
    expect(await areUp(known)).toBe(false)
  })
})

test('chains that were killed before they ran are started again behind the product', async () => {
  await inFolder('unlucky', async (dataDir) => {
    const unlucky = path.join(folder, 'unlucky.mjs')
    const marker = JSON.stringify(path.join(folder, 'was-killed'))
    writeFileSync(
      unlucky,
      `import { existsSync, writeFileSync } from 'node:fs'
       if (existsSync(${marker})) await import(${JSON.stringify(program)})
       else { writeFileSync(${marker}, ''); process.kill(process.pid, 'SIGKILL') }`,
    )
    const chains = await startSandbox(unlucky)
    expect(rails()).toEqual([])
    await eventually(() => expect(existsSync(sandboxFile(dataDir))).toBe(true))
    resetPerProcess('sandbox')
    expect(await areUp(sandbox()!)).toBe(true)
    await chains?.close()
  })
})

test('without chains the start goes on, and there is no way to pay', async () => {
  await inFolder('none', async (dataDir) => {
    const broken = path.join(folder, 'broken.mjs')
    writeFileSync(broken, 'throw new Error("no chains for this machine")')
    for (const missing of [path.join(folder, 'nowhere.mjs'), broken]) {
      const chains = await startSandbox(missing)
      expect(sandbox()).toBeUndefined()
      expect(rails()).toEqual([])
      await chains?.close()
    }
    expect(existsSync(sandboxFile(dataDir))).toBe(false)
  })
})

test('where money is real no chains are started', async () => {
  await withEnvironment({ SANDBOX: 'off', DATA_DIR: path.join(folder, 'live') }, async () => {
    expect(await startSandbox(program)).toBeUndefined()
    expect(existsSync(path.join(folder, 'live'))).toBe(false)
  })
})
