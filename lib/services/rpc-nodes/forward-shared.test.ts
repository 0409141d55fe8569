import { expect, test, vi } from 'vitest'
import { SingleFlight } from '@/lib/services/rpc-nodes/forward'
import { ask, freshCall, type Script, testNode, textOf, withNodes } from '@/lib/services/rpc-nodes/testing'

const never = new AbortController().signal

function work() {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  return { promise, resolve, cancel: vi.fn(reject) }
}

function held(body: (id: unknown) => string) {
  const go = Promise.withResolvers<void>()
  const script: Script = async ({ calls, response }) => {
    await go.promise
    response.end(body(calls[0]!.id))
  }
  return { script, go: go.resolve }
}
const settled = () => new Promise((resolve) => setTimeout(resolve, 50))

test('what is asked for while it is under way is done once', async () => {
  const [joins, one] = [new SingleFlight<string>(), work()]
  const begin = vi.fn(() => one)
  const both = Promise.all([joins.join('key', '1', never, begin), joins.join('key', '2', never, begin)])
  one.resolve('done')
  expect(await both).toEqual([
    { value: 'done', askedAs: '1' },
    { value: 'done', askedAs: '1' },
  ])
  expect(begin).toHaveBeenCalledTimes(1)
  expect(joins.size).toBe(0)
})

test('the work ends when the last one left, and not before', async () => {
  const [joins, one] = [new SingleFlight<string>(), work()]
  const [first, second] = [new AbortController(), new AbortController()]
  const replies = [first, second].map(({ signal }) => joins.join('key', '1', signal, () => one))
  first.abort(new Error('left'))
  await expect(replies[0]).rejects.toThrow('left')
  expect(one.cancel).not.toHaveBeenCalled()
  second.abort(new Error('left too'))
  await expect(replies[1]).rejects.toThrow('left too')
  expect(one.cancel).toHaveBeenCalledTimes(1)
  expect(joins.size).toBe(0)
})

test('who comes after the last one left begins anew', async () => {
  const [joins, one, other] = [new SingleFlight<string>(), work(), work()]
  const controller = new AbortController()
  const left = joins.join('key', '1', controller.signal, () => one)
  controller.abort(new Error('left'))
  await expect(left).rejects.toThrow('left')
  const next = joins.join('key', '2', never, () => other)
  other.resolve('new')
  expect(await next).toEqual({ value: 'new', askedAs: '2' })
})

test('a failure is everybody’s', async () => {
  const [joins, one] = [new SingleFlight<string>(), work()]
  const both = [1, 2].map((id) => joins.join('key', String(id), never, () => one))
  one.cancel(new Error('broken'))
  for (const reply of both) await expect(reply).rejects.toThrow('broken')
})

test('identical reads ask a node once, and each gets its own id', async () => {
  const { script, go } = held((id) => `{"result" : 1.0,"id":${JSON.stringify(id)},"jsonrpc":"2.0"}`)
  const node = await testNode('ethereum-mainnet', script)
  const network = withNodes([node])
  const call = freshCall()
  const ids = ['1', '"a"', '1', undefined, '18446744073709551617']
  const replies = ids.map((id) => ask(network, { ...call, id } as never))
  await settled()
  go()
  expect((await Promise.all(replies)).map(textOf)).toEqual(
    ['1', '"a"', '1', 'null', '18446744073709551617'].map((id) => `{"result" : 1.0,"id":${id},"jsonrpc":"2.0"}`),
  )
  expect(node.seen).toHaveLength(1)
})

test('an error gets its own id as well', async () => {
  const { script, go } = held((id) => `{"id":${JSON.stringify(id)},"error":{"code":3,"message":"reverted"}}`)
  const node = await testNode('ethereum-mainnet', script)
  const network = withNodes([node])
  const call = freshCall()
  const replies = ['1', '"é"'].map((id) => ask(network, { ...call, id }))
  await settled()
  go()
  const [, second] = await Promise.all(replies)
  expect(textOf(second!)).toBe('{"id":"é","error":{"code":3,"message":"reverted"}}')
  expect(second).toMatchObject({ scanned: { items: [{ id: '"é"', outcome: 'error', errorCode: 3 }] } })
})

test('reads that differ in a blank are different, and batches are nobody’s business', async () => {
  const node = await testNode()
  const network = withNodes([node])
  const call = freshCall()
  const spaced = { ...call, params: ` ${call.params}` }
  await Promise.all([ask(network, call), ask(network, spaced), ask(network, [call]), ask(network, [call])])
  expect(node.seen).toHaveLength(4)
})

test('one who leaves does not take the others’ reply away', async () => {
  const { script, go } = held((id) => `{"id":${id},"result":1}`)
  const node = await testNode('ethereum-mainnet', script)
  const network = withNodes([node])
  const [call, controller] = [freshCall(), new AbortController()]
  const first = ask(network, call, controller.signal)
  const second = ask(network, { ...call, id: '2' })
  await settled()
  controller.abort(new Error('gone'))
  await expect(first).rejects.toThrow('gone')
  go()
  expect(textOf(await second)).toBe('{"id":2,"result":1}')
})

test('a refusal that several get has the id of each', async () => {
  const go = Promise.withResolvers<void>()
  const node = await testNode('ethereum-mainnet', async ({ calls, response }) => {
    await go.promise
    const error = { code: -32602, message: 'no' }
    response.writeHead(400).end(JSON.stringify({ jsonrpc: '2.0', id: calls[0]!.id, error }))
  })
  const network = withNodes([node])
  const call = freshCall()
  const all = ['"mine alone"', '2'].map((id) => ask(network, { ...call, id }))
  await expect.poll(() => node.seen.length).toBe(1)
  go.resolve()
  const replies = await Promise.all(all)
  expect(replies.map((reply) => [reply.kind, JSON.parse(textOf(reply)).id])).toEqual([
    ['refused', 'mine alone'],
    ['refused', 2],
  ])
})
