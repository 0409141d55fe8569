import { expect, test } from 'vitest'
import {
  catalogFaults,
  missingIn,
  readCatalog,
  readFileInto,
  readSentences,
  type Sentences,
  TRANSLATED,
} from '@/scripts/tools/messages'

const source = await readSentences(process.cwd())

test('every sentence of the pages can be translated', () => {
  expect(source.faults).toEqual([])
  expect(source.sentences.size).toBeGreaterThan(1_000)
})

test.each(TRANSLATED)('%s says every sentence, with its places and in all its plural forms', async (tag) => {
  const catalog = await readCatalog(process.cwd(), tag)
  expect(missingIn(catalog, source)).toEqual([])
  expect(catalogFaults(tag, catalog, source)).toEqual([])
})

test('bare words, broken counts and words that are asked for too early are found', () => {
  const found: Sentences = { sentences: new Map(), faults: [] }
  readFileInto(
    found,
    'components/x.tsx',
    `const early = t('Too early')
     const Part = ({ n }) => (
       <p title="Not translated" className="Fine">
         Bare words <Sentence text="See <a>this</a>." parts={parts} />
         {t('Whole.')} {plural(n, { one: '{count} file', other: '{count} files' })} {plural(n, forms)} USDC · 12 ms
       </p>
     )`,
  )
  expect([...found.sentences.keys()]).toEqual(['Too early', 'See <a>this</a>.', 'Whole.', '{count} files'])
  expect(found.faults).toEqual([
    'components/x.tsx:1 t() is called while the module loads',
    'components/x.tsx:3 is not translated: title="Not translated"',
    'components/x.tsx:3 is not translated: Bare words',
    'components/x.tsx:5 plural() wants { one: "…", other: "…" }',
  ])
})

test('the documentation is English, but for its frame', () => {
  const found: Sentences = { sentences: new Map(), faults: [] }
  readFileInto(found, 'components/docs/x.tsx', `const Part = () => <p title="Bare">Bare words {t('Search')}</p>`)
  expect([...found.sentences.keys()]).toEqual(['Search'])
  expect(found.faults).toEqual([])
})

test('a translation with another place, a lost mark or too few forms is found', () => {
  const found: Sentences = { sentences: new Map(), faults: [] }
  readFileInto(
    found,
    'components/x.tsx',
    `const f = () => [t('Hi <b>you</b>, {name}'), plural(1, { one: 'a {count}', other: 'b {count}' })]`,
  )
  expect(
    catalogFaults('ar', { 'Hi <b>you</b>, {name}': 'x {nam}', 'b {count}': { other: '{count}' }, Gone: 'x' }, found),
  ).toEqual([
    'Hi <b>you</b>, {name}: lacks <b>',
    'Hi <b>you</b>, {name}: lacks </b>',
    'Hi <b>you</b>, {name}: lacks {name}',
    'Hi <b>you</b>, {name}: has {nam} of its own',
    ...['zero', 'one', 'two', 'few', 'many'].map((form) => `b {count}: has no form for "${form}"`),
    'Gone: is said nowhere',
  ])
})
