import { describe, expect, test } from 'vitest'
import { networkOf } from '@/lib/contract/rpc-networks'
import { creditsFor } from '@/lib/endpoints/rpc/call'
import { isReplyTo } from '@/lib/services/rpc-nodes/call-node'
import { questionOf, readCalls } from '@/lib/services/rpc-nodes/calls'
import { ReplyScanner } from '@/lib/services/rpc-nodes/reply'
import { ask, freshCall, type Script, setOf, steadyNodes, testNode, textOf } from '@/lib/services/rpc-nodes/testing'

const base = networkOf('base-mainnet')!
const call = (id: string | undefined) => `{"method":"eth_gasPrice"${id === undefined ? '' : `,"id":${id}`}}`

function isReply(request: string, reply: string): boolean {
  const scanner = new ReplyScanner()
  scanner.push(Buffer.from(reply))
  return isReplyTo(questionOf(readCalls(Buffer.from(request), base)), scanner.end()!)
}

describe('a reply to one call', () => {
  test.each([
    ['1', '{"id":1,"result":"0x1"}'],
    ['1', '{"id":1,"error":{"code":1}}'],
    ['1', '{"id":null,"error":{"code":-32600}}'],
    ['1', '{"error":{"code":-32600}}'],
    ['"ä"', '{"id":"\\u00e4","result":"0x1"}'],
    ['9007199254740993', '{"id":9007199254740992,"result":"0x1"}'],
    ['null', '{"id":null,"result":"0x1"}'],
    [undefined, '{"id":null,"result":"0x1"}'],
    [undefined, '{"result":"0x1"}'],
  ])('with the id %s is %s', (id, reply) => expect(isReply(call(id), reply)).toBe(true))

  test.each([
    ['1', '{"id":2,"result":"0x1"}'],
    ['1', '{"id":"1","result":"0x1"}'],
    ['1', '{"id":null,"result":"0x1"}'],
    ['1', '{"result":"0x1"}'],
    ['1', '{"id":2,"error":{"code":1}}'],
    ['1', '[{"id":1,"result":"0x1"}]'],
    [undefined, '{"id":1,"result":"0x1"}'],
  ])('with the id %s is not %s', (id, reply) => expect(isReply(call(id), reply)).toBe(false))
})

describe('a reply to a batch', () => {
  const batch = (...ids: (string | undefined)[]) => `[${ids.map(call)}]`
  const [ONE, TWO, SEVEN] = ['{"id":1,"result":1}', '{"id":2,"result":2}', '{"id":7,"result":7}']

  test.each([
    [batch('1', '2'), `[${TWO},${ONE}]`],
    [batch('1', '2'), `[${ONE},{"id":null,"error":{}}]`],
    [batch('1', '1'), `[${ONE},${ONE}]`],
    [batch('1', undefined), `[${ONE}]`],
    [batch('1', undefined), `[{"id":null,"result":0},${ONE}]`],
    [batch(undefined, undefined), '[{"id":null,"result":1},{"result":2}]'],
    [batch('1', '2'), '{"id":null,"error":{"message":"batch too large"}}'],
    [batch('1', '2'), '{"id":1,"error":{"message":"batch too large"}}'],
  ])('%s is %s', (request, reply) => expect(isReply(request, reply)).toBe(true))

  test.each([
    [batch('1', '2'), `[${ONE},${SEVEN}]`],
    [batch('1', '2'), `[${ONE},${ONE}]`],
    [batch('1', '2'), `[${ONE}]`],
    [batch('1', '2'), `[${ONE},${TWO},${TWO}]`],
    [batch('1', '2'), `[${ONE},{"id":null,"result":2}]`],
    [batch('1', '2'), `[${ONE},{"id":7,"error":{}}]`],
    [batch('1', undefined), `[${ONE},${SEVEN}]`],
    [batch('1', '2'), '{"id":7,"error":{"message":"batch too large"}}'],
    [batch('1', '2'), ONE],
  ])('%s is not %s', (request, reply) => expect(isReply(request, reply)).toBe(false))
})

const mixedUp: Script = ({ calls, response }) =>
  response.end(
    JSON.stringify(calls.length > 1 ? calls.map((_, id) => ({ id: id + 70, result: 'x' })) : { id: 70, result: 'x' }),
  )

describe('a node that mixes up its callers', () => {
  const calls = () => [
    { ...freshCall(), id: '1' },
    { ...freshCall(), id: '2' },
  ]

  test('is passed over: the next node answers', async () => {
    const [bad, good] = [await testNode('ethereum-mainnet', mixedUp), await testNode()]
    const network = await steadyNodes([bad, good])
    for (const asked of [freshCall(), calls()]) {
      const reply = await ask(network, asked)
      expect(reply).toMatchObject({ kind: 'answered', retries: 1 })
      expect(textOf(reply)).not.toContain('70')
    }
    expect(setOf(network).nodes[0]).toMatchObject({ circuit: { failures: expect.any(Number) } })
    expect(bad.seen).toHaveLength(3)
  })

  test('and is the only one gives no reply, so that nothing is charged', async () => {
    const network = await steadyNodes([await testNode('ethereum-mainnet', mixedUp)])
    for (const asked of [freshCall(), calls(), { method: 'eth_sendRawTransaction', params: '["0x02"]' }]) {
      await expect(ask(network, asked)).rejects.toMatchObject({ code: 'RPC_UPSTREAM_FAILED' })
    }
  })

  test('refuses with HTTP 400 in words that are not passed on', async () => {
    const script: Script = ({ response }) =>
      response.writeHead(400).end('{"id":70,"error":{"code":1,"message":"for another"}}')
    const network = await steadyNodes([await testNode('ethereum-mainnet', script)])
    const reply = await ask(network, freshCall())
    expect(textOf(reply)).not.toContain('for another')
    expect(creditsFor(network, { calls: [freshCall()], isBatch: false }, reply)).toBe(5)
  })
})
