import { act, screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { setSecondModel } from '@/components/chat/asking/answer-store'
import { EstimateLine } from '@/components/chat/composer/estimate-line'
import { renderPart } from '@/components/testing/render'
import { modelCard } from '@/lib/browser/files/testing'

const priced = (id: string, usd: number) =>
  modelCard(id, { pricing: { input: { usd }, output: { usd } }, maxCompletionTokens: 1_000 })

const MODELS = [priced('one', 100), priced('two', 300)]

function Line() {
  const [model] = MODELS
  if (!model) throw new Error('no model')
  return <EstimateLine {...{ model }} chatId={null} draft="Why?" attachments={[]} models={MODELS} settings={{}} />
}

/** Of “$0.01 to $0.40, estimated from …”, in dollars. */
const range = () =>
  (
    screen
      .getByTitle(/estimated from/)
      .getAttribute('title')
      ?.match(/[\d.]+/g) ?? []
  )
    .slice(0, 2)
    .map(Number)

test('with a second model the estimate is the sum of both', async () => {
  renderPart(<Line />)
  const alone = range()
  act(() => setSecondModel('two'))
  const both = range()
  act(() => setSecondModel(undefined))
  // The second costs three times as much.
  expect(both[0]).toBeCloseTo(4 * Number(alone[0]), 6)
  expect(both[1]).toBeCloseTo(4 * Number(alone[1]), 6)
})
