import { cleanup, screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { ModelPicker } from '@/components/chat/models/model-picker'
import { renderPart } from '@/components/testing/render'
import { modelCard } from '@/lib/browser/files/testing'

const picker = (model: ReturnType<typeof modelCard> | undefined, status = 'success') => (
  <ModelPicker
    models={{ data: model ? [model] : [], isError: status === 'error', isSuccess: status === 'success' } as never}
    model={model}
    onPick={() => undefined}
  />
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
  renderPart(picker(undefined, 'error'))
  expect(screen.getByRole('button', { name: 'Models unavailable. Retry' })).toBeTruthy()
})

test('is a placeholder while the models are loaded, and gone where there are none', () => {
  renderPart(picker(undefined, 'pending'))
  expect(screen.getByRole('button', { name: 'Model: loading' })).toBeTruthy()
  cleanup()
  renderPart(picker(undefined))
  expect(screen.queryByRole('button')).toBeNull()
})
