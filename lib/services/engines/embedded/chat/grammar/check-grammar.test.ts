import { getLlama, type Llama, LlamaLogLevel } from 'node-llama-cpp'
import { beforeAll, expect, test } from 'vitest'
import { assertGrammar } from '@/lib/services/engines/embedded/chat/grammar/check-grammar'
import { callGrammarOf, grammarOf } from '@/lib/services/engines/embedded/chat/grammar/json-grammar'

let llama: Llama
beforeAll(async () => {
  llama = await getLlama({ gpu: false, build: 'never', logLevel: LlamaLogLevel.disabled, maxThreads: 1 })
})

const text = { type: 'string' }
const items = (maxItems: number, of: object = text, minItems = 0) => ({ type: 'array', items: of, minItems, maxItems })
const tuple = { type: 'object', properties: { a: items(3), b: { type: 'integer', minimum: 3, maximum: 12_345 } } }

test.each<[string, unknown, 'taken' | RegExp]>([
  ['anything', true, 'taken'],
  ['a tree', { $ref: '#/$defs/T', $defs: { T: { type: 'array', items: { $ref: '#/$defs/T' } } } }, 'taken'],
  ['names of other keys', { properties: { "a'b": text, ab: {} }, additionalProperties: text }, 'taken'],
  ['enumerations of marks', { enum: ['"', '\\', '::= x | (', ']', '[', '{2,3}', '\n'] }, 'taken'],
  ['a short list', items(100, tuple, 3), 'taken'],
  ['a long list', items(1_000, tuple, 800), 'taken'],
  ['a long text', { ...text, minLength: 5, maxLength: 1_000 }, 'taken'],
  ['a loop', { $ref: '#/$defs/A', $defs: { A: { anyOf: [{ $ref: '#/$defs/A' }, text] } } }, /never comes/],
  [
    'a loop of two',
    {
      $ref: '#/$defs/A',
      $defs: { A: { anyOf: [{ $ref: '#/$defs/B' }] }, B: { anyOf: [text, { $ref: '#/$defs/A' }] } },
    },
    /never comes/,
  ],
])('%s is judged as by the runtime', async (_, schema, verdict) => {
  await expectSame(grammarOf(schema, false), verdict)
})

test.each([
  ['so long', 'root ::= "x"{1,1999}', 'taken'],
  ['groups in groups', 'root ::= ( "a" ( "b" [cd]{0,3} )? ){0,285}', 'taken'],
  ['too many groups in groups', 'root ::= ( "a" ( "b" [cd]{0,3} )? ){0,400}', /repetitions/],
  ['a rule after one that may be empty', 'root ::= space root | "a"\nspace ::= " " | ""', /never comes/],
  ['a rule after one that is not', 'root ::= space root | "a"\nspace ::= " "', 'taken'],
  ['itself after what may be left out', 'root ::= ( "a" )? root "b" | "c"', /never comes/],
] as const)('a grammar with %s is judged as by the runtime', async (_, grammar, verdict) => {
  await expectSame(grammar, verdict)
})

test('a tool that the model must call is judged, too', async () => {
  const loop = { $defs: { A: { anyOf: [{ $ref: '#/$defs/A' }] } }, properties: { a: { $ref: '#/$defs/A' } } }
  await expectSame(callGrammarOf([{ name: 'say', parameters: loop, isStrict: false }]), /never comes/)
  await expectSame(callGrammarOf([{ name: 'say', parameters: tuple, isStrict: false }]), 'taken')
})

async function expectSame(grammar: string, verdict: 'taken' | RegExp) {
  const isTaken = verdict === 'taken'
  if (isTaken) expect(() => assertGrammar(grammar)).not.toThrow()
  else expect(() => assertGrammar(grammar)).toThrow(verdict)
  const byRuntime = await llama.createGrammar({ grammar }).then(
    () => true,
    () => false,
  )
  expect(byRuntime).toBe(isTaken)
}
