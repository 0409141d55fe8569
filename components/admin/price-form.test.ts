import { expect, test } from 'vitest'
import {
  contextFault,
  hasFault,
  isBelowCost,
  isFree,
  newRows,
  parseMargin,
  pricedModel,
  priceFault,
  type Row,
  rowsOfProvider,
  withNewMargin,
} from '@/components/admin/price-form'
import type { OfferedModel } from '@/lib/contract/providers'

const told: OfferedModel = {
  upstreamModel: 'told',
  type: 'text',
  contextTokens: 8_000,
  cost: { input: 0.15, output: 0.6, cacheInput: 0.075 },
}
const untold: OfferedModel = { upstreamModel: 'untold', type: 'text' }
const free: OfferedModel = { upstreamModel: 'free', type: 'text', cost: null }
const image: OfferedModel = { upstreamModel: 'image', type: 'image' }

const rowOf = (model: OfferedModel, typed: Row['typed'] = {}, more: Partial<Row> = {}): Row => ({
  model,
  isChosen: true,
  typed,
  isTyped: true,
  ...more,
})

test('prices are proposed where the provider tells its own, and asked for elsewhere', () => {
  const rows = newRows([told, untold, free, image], 20)
  expect(rows.map(({ typed }) => typed)).toEqual([
    { input: '0.18', output: '0.72' },
    {},
    { input: '0', output: '0' },
    {},
  ])
  expect(rows.every(({ isChosen }) => isChosen)).toBe(true)
  expect(priceFault(rows[1]!, 'input')).toBe('Enter a price. 0 makes the model free.')
})

test('of a long list nothing is chosen unasked', () => {
  const many = Array.from({ length: 9 }, (_, at) => ({ ...told, upstreamModel: `m${at}` }))
  expect(newRows(many, 20).some(({ isChosen }) => isChosen)).toBe(false)
})

test('another margin changes what was proposed, and nothing that was typed', () => {
  const rows = [...newRows([told], 20), rowOf(told, { input: '1', output: '2' })]
  expect(withNewMargin(rows, 50).map(({ typed }) => typed)).toEqual([
    { input: '0.225', output: '0.9' },
    { input: '1', output: '2' },
  ])
})

test.each([
  ['', 'Enter a price. 0 makes the model free.'],
  ['free', 'Enter dollars, with at most 6 decimals.'],
  ['-1', 'Enter dollars, with at most 6 decimals.'],
  ['0.0000001', 'Enter dollars, with at most 6 decimals.'],
  ['1000000', 'At most $1,000.00 per million tokens.'],
  ['0', 'Enter a price above 0, or 0 for both.'],
  ['1,5', undefined],
  ['1000', undefined],
  ['.5', undefined],
])('the price "%s" beside one above 0: %s', (input, fault) => {
  expect(priceFault(rowOf(told, { input, output: '2' }), 'input')).toBe(fault)
})

test('zero is free, and less than the cost is pointed out', () => {
  const given = rowOf(told, { input: '0', output: '0' })
  expect([isFree(given), hasFault(given), isBelowCost(given)]).toEqual([true, false, true])
  expect(pricedModel(given, 20).prices).toBeNull()
  expect(isBelowCost(rowOf(told, { input: '0.2', output: '0.5' }))).toBe(true)
  expect(isBelowCost(rowOf(untold, { input: '0.2', output: '0.5' }))).toBe(false)
})

test('a model is stored with its prices, the prices of the cache, and the context that was entered', () => {
  expect(pricedModel(rowOf(told, { input: '0.20', output: '0,8' }, { context: '16 000' }), 20)).toEqual({
    ...told,
    contextTokens: 16_000,
    prices: { input: 0.2, output: 0.8, cacheInput: 0.09 },
  })
  expect(pricedModel(rowOf(image, { image: '0.04' }), 20)).toEqual({ ...image, prices: { image: 0.04 } })
  expect(contextFault(rowOf(untold, {}, { context: 'big' }))).toBe('Enter a whole number of tokens.')
})

test('a connected provider keeps its prices, shows what else there is, and what is gone', () => {
  const rows = rowsOfProvider(
    [
      { ...told, prices: { input: 3, output: 4 } },
      { ...free, prices: null },
    ],
    [told, untold],
    20,
  )
  expect(
    rows.map(({ model, isChosen, isGone = false, typed }) => [model.upstreamModel, isChosen, isGone, typed]),
  ).toEqual([
    ['told', true, false, { input: '3', output: '4' }],
    ['free', true, true, { input: '0', output: '0' }],
    ['untold', false, false, {}],
  ])
})

test.each([
  ['20', 20],
  ['12,5', 12.5],
  ['0', 0],
  ['', undefined],
  ['-5', undefined],
  ['2000', undefined],
])('the margin "%s" is %s', (text, margin) => {
  expect(parseMargin(text)).toBe(margin)
})
