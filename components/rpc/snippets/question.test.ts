import { expect, test } from 'vitest'
import type { RpcAnswer } from '@/components/rpc/client'
import { fileAbout, questionAbout } from '@/components/rpc/snippets/chat-about'

const answerOf = (text: string, params: unknown = [], isBatch = false): RpcAnswer => ({
  network: 'base-sepolia',
  calls: [{ method: 'eth_getBlockByNumber', params }],
  isBatch,
  at: 0,
  status: 200,
  ms: 3,
  bytes: text.length,
  text,
  headers: [['authorization', 'Bearer secret']],
  isReplayed: false,
})

const REPLY = '{"jsonrpc":"2.0","id":1,"result":"0x1"}'

test('the question is one line, and names what it is about', () => {
  expect(questionAbout(answerOf(REPLY))).toBe('Explain this eth_getBlockByNumber response from Base Sepolia.')
  expect(questionAbout(answerOf(REPLY, [], true))).toBe('Explain this batch response from Base Sepolia.')
})

test('request and response are one file of JSON, without headers', async () => {
  const file = fileAbout(answerOf(REPLY), 8_000)
  expect(file.name).toBe('eth_getBlockByNumber-base-sepolia.json')
  expect(JSON.parse(await file.text())).toEqual({
    network: 'Base Sepolia',
    request: { jsonrpc: '2.0', id: 1, method: 'eth_getBlockByNumber', params: [] },
    httpStatus: 200,
    response: { jsonrpc: '2.0', id: 1, result: '0x1' },
  })
  expect(fileAbout(answerOf(REPLY, [], true), 8_000).name).toBe('batch-base-sepolia.json')
})

test('a number that a program would round stays as the node wrote it', async () => {
  expect(await fileAbout(answerOf('{"result":12345678901234567890}'), 8_000).text()).toContain('12345678901234567890')
})

test('what is no JSON, or too long for the model, is a string that says so', async () => {
  const page = JSON.parse(await fileAbout(answerOf('<h1>502</h1>'), 8_000).text())
  expect(page.response).toBe('<h1>502</h1>')
  const text = await fileAbout(answerOf(`"${'🌊'.repeat(50_000)}"`), 2_000).text()
  expect(text.length).toBeLessThan(2_500)
  expect(text.isWellFormed()).toBe(true)
  expect(JSON.parse(text).response).toMatch(/the first 1,[89]\d\d of 100,002 characters/)
})

test('a request that is too long does not push the response out', async () => {
  const text = await fileAbout(answerOf('{"result":"0x1"}', ['f'.repeat(100_000)]), 4_000).text()
  expect(JSON.parse(text).response).toEqual({ result: '0x1' })
  expect(text.length).toBeLessThan(4_500)
})
