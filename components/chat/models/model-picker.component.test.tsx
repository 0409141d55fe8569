import { screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { ModelPicker } from '@/components/chat/models/model-picker'
import { modelCard } from '@/components/testing/model-card'
import { renderPart } from '@/components/testing/render'

const picker = (model: ReturnType<typeof modelCard> | undefined, isError = false) => (
  <ModelPicker models={{ data: model ? [model] : [], isError } as never} model={model} onPick={() => undefined} />
)

test('says on the button that a model is a demo', () => {
  renderPart(picker(modelCard('tiny', { name: 'Tiny', demo: true })))
  expect(screen.getByRole('button', { name: 'Model: Tiny, demo' }).textContent).toContain('Demo')
})

test('says nothing of the kind of any other model', () => {
  renderPart(picker(modelCard('atlas', { name: 'Atlas' })))
  expect(screen.getByRole('button', { name: 'Model: Atlas' }).textContent).not.toContain('Demo')
})

test('offers to load the models again where they could not be loaded', () => {
  renderPart(picker(undefined, true))
  expect(screen.getByRole('button', { name: 'Models unavailable. Retry' })).toBeTruthy()
})
