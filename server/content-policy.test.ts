import { expect, test } from 'vitest'
import { createPagePolicy } from '@/server/content-policy'

test('a page loads no other page into a frame, and is loaded into none', () => {
  const { header } = createPagePolicy('', true)()
  expect(header).toContain(`frame-src 'none'`)
  expect(header).toContain(`frame-ancestors 'none'`)
})
