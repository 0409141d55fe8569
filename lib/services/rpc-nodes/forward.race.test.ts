import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { RpcNetwork } from '@/lib/contract/rpc-networks'
import { ask, freshCall, type Script, testAnvil, testNode, textOf, withNodes } from '@/lib/services/rpc-nodes/testing'

const CALLS = 1_500
const AT_ONCE = 8
const SLOW_MS = 150
const TURNS = 10

const anvil = await testAnvil()

const passing: Script = async ({ body, response }) => {
  const reply = await fetch(anvil.url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  response.end(await reply.text())
}
const slow: Script = async (request) => {
  await sleep(SLOW_MS)
  await passing(request)
}

async function run(network: RpcNetwork, count: number, midway?: () => Promise<void>) {
  const times: number[] = []
  let failed = 0
  let left = count
  const work = async () => {
    while (left-- > 0) {
      if (left === Math.floor(count / 2)) await midway?.()
      const startedAt = performance.now()
      try {
        const reply = await ask(network, freshCall())
        if (!textOf(reply).includes('"result":"0x0"')) failed++
      } catch {
        failed++
      }
      times.push(performance.now() - startedAt)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return { times, failed }
}

const p95 = (times: number[]): number => times.toSorted((one, other) => one - other)[Math.floor(times.length * 0.95)]!

test('three nodes, one killed midway, one slow, one on another chain: all calls but one in a thousand are answered', async () => {
  const killed = await testNode('ethereum-mainnet', passing)
  const sluggish = await testNode('ethereum-mainnet', slow)
  sluggish.script(slow, { isForAll: true })
  const wrong = await testNode('ethereum-mainnet', passing)
  wrong.facts.chainId = '0x2105'
  const network = withNodes([killed, wrong, sluggish])
  const { failed, times } = await run(network, CALLS, killed.stop)
  expect(times).toHaveLength(CALLS)
  expect(failed / CALLS).toBeLessThanOrEqual(0.001)
  expect(sluggish.seen.length).toBeGreaterThan(CALLS / 3)
  expect(wrong.seen).toEqual([])
})

test('with a healthy one among four, the slowest calls take less than twice what they take with that one alone', async () => {
  const one = withNodes([await testNode('ethereum-mainnet', passing)], 'ethereum-mainnet')
  const [killed, sluggish, wrong, healthy] = [
    await testNode('ethereum-sepolia', passing),
    await testNode('ethereum-sepolia', slow),
    await testNode('ethereum-sepolia', passing),
    await testNode('ethereum-sepolia', passing),
  ]
  await killed.stop()
  sluggish.script(slow, { isForAll: true })
  wrong.facts.chainId = '0x2105'
  const four = withNodes([killed, sluggish, wrong, healthy], 'ethereum-sepolia')
  const [alone, among]: [number[], number[]] = [[], []]
  // By turns, so that a busy machine is busy for both.
  for (let turn = 0; turn < TURNS; turn++) {
    for (const [network, all] of [
      [one, alone],
      [four, among],
    ] as const) {
      const { failed, times } = await run(network, CALLS / TURNS)
      expect(failed).toBe(0)
      all.push(...times)
    }
  }
  expect(wrong.seen).toEqual([])
  expect(p95(among) / p95(alone)).toBeLessThan(2)
})
