import fc from 'fast-check'
import { Lexer } from 'marked'
import { expect, test } from 'vitest'
import { questionAbout } from '@/components/rpc/snippets/question'
import type { RpcAnswer } from '@/lib/client/rpc'

const answerOf = (text: string, params: unknown = []): RpcAnswer => ({
  network: 'base-sepolia',
  calls: [{ method: 'eth_getBlockByNumber', params }],
  isBatch: false,
  at: 0,
  status: 200,
  ms: 3,
  bytes: text.length,
  text,
  headers: [['authorization', 'Bearer secret']],
  isReplayed: false,
})

const fences = (markdown: string) => Lexer.lex(markdown).flatMap((token) => (token.type === 'code' ? token.text : []))

test('request and answer stand in fences of their own', () => {
  const question = questionAbout(answerOf('{"jsonrpc":"2.0","id":1,"result":"0x1"}'), 8_000)
  expect(question).toMatch(/^What does this answer to eth_getBlockByNumber on Base Sepolia say\?/)
  expect(fences(question)).toEqual([
    '{"jsonrpc":"2.0","id":1,"method":"eth_getBlockByNumber","params":[]}',
    '{\n  "jsonrpc": "2.0",\n  "id": 1,\n  "result": "0x1"\n}',
  ])
  expect(question).not.toContain('secret')
})

test('nothing in an answer gets out of its fence', () => {
  const piece = fc.oneof(fc.constantFrom('```', '````', '\n```\n', '\n~~~\n', '# title', '`'), fc.string())
  fc.assert(
    fc.property(
      fc.array(piece).map((pieces) => pieces.join('')),
      (text) => {
        const question = questionAbout(answerOf(text, [text]), 20_000)
        const tokens = Lexer.lex(question).filter(({ type }) => type !== 'space')
        expect(tokens.map(({ type }) => type)).toEqual(
          ['paragraph', 'paragraph', 'code', 'paragraph', 'code'].slice(0, 5),
        )
      },
    ),
  )
})

test('what is too long for the model is cut, and says so', () => {
  const question = questionAbout(answerOf(`"${'🌊'.repeat(50_000)}"`), 2_000)
  expect(question.length).toBeLessThan(2_500)
  expect(question).toMatch(/the first 1,9\d\d of 100,002 characters/)
  expect(question.isWellFormed()).toBe(true)
})

test('a request that is too long does not push the answer out', () => {
  const question = questionAbout(answerOf('{"result":"0x1"}', ['f'.repeat(100_000)]), 4_000)
  expect(question).toContain('"0x1"')
  expect(question.length).toBeLessThan(4_500)
})
