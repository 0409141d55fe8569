import { screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { DemoNote, NoModelNote, preparationQuery } from '@/components/chat/composer/model-notes'
import { renderPart } from '@/components/testing/render'
import { operatorQuery } from '@/lib/browser/operator'
import { sessionQuery } from '@/lib/browser/queries'
import type { ModelPreparation } from '@/lib/contract/session'

const show = (preparation: ModelPreparation | null) =>
  renderPart(<DemoNote />, [
    [sessionQuery().queryKey, { sandbox: true }],
    [preparationQuery().queryKey, preparation],
  ])

test('says that the model is a demo', () => {
  show(null)
  expect(screen.getByText('Demo model on this server · free test credit')).toBeTruthy()
})

test.each<[string, Omit<ModelPreparation, 'model'>]>([
  ['Downloading Qwen3 1.7B: 210 MB of 1.1 GB', { step: 'downloading', fraction: 0.2, bytes: 210e6, totalBytes: 1.1e9 }],
  ['Downloading Qwen3 1.7B: 40%', { step: 'downloading', fraction: 0.4 }],
  ['Verifying Qwen3 1.7B…', { step: 'verifying', fraction: 1 }],
  ['Loading Qwen3 1.7B…', { step: 'loading', fraction: 0.5 }],
  ['Preparing Qwen3 1.7B…', { step: 'preparing', fraction: 0 }],
])('says “%s”', (text, preparation) => {
  show({ model: 'Qwen3 1.7B', ...preparation })
  expect(screen.getByText(text)).toBeTruthy()
})

test.each([
  ['a visitor', false, []],
  ['the operator', true, ['/admin']],
])('says to %s that no model is connected, and where to connect one', (_, isOperator, links) => {
  const { container } = renderPart(<NoModelNote />, [[operatorQuery().queryKey, { isOperator }]])
  expect(container.textContent).toContain('No model is connected.')
  expect(screen.queryAllByRole('link').map((link) => link.getAttribute('href'))).toEqual(links)
})
