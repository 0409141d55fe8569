import { screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { NoModelNote } from '@/components/chat/composer/no-model-note'
import { renderPart } from '@/components/testing/render'
import { operatorQuery } from '@/lib/browser/operator'

test.each([
  ['a visitor', false, []],
  ['the operator', true, ['/admin']],
])('says to %s that no model is connected, and where to connect one', (_, isOperator, links) => {
  const { container } = renderPart(<NoModelNote />, [[operatorQuery().queryKey, { isOperator }]])
  expect(container.textContent).toContain('No model is connected.')
  expect(screen.queryAllByRole('link').map((link) => link.getAttribute('href'))).toEqual(links)
})
