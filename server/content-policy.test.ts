import { expect, test } from 'vitest'
import { createPagePolicy } from '@/server/content-policy'

const policyOf = createPagePolicy('', true)

test('the page for previews has no origin, no network and no way out, also when it is opened by itself', () => {
  const { header, frames } = policyOf('/preview.html')
  expect(header).toContain(`default-src 'none'`)
  expect(header).toContain(`frame-ancestors 'self'`)
  expect(header).toMatch(/; sandbox allow-scripts$/)
  expect(header).not.toMatch(/allow-same-origin|https?:|connect-src|'unsafe-eval'/)
  expect(frames).toBe('SAMEORIGIN')
})

test('all other pages frame nothing but our own, and are framed by nobody', () => {
  for (const page of ['/', '/c/1', '/preview', '/preview.html/x', '/PREVIEW.HTML']) {
    const { header, frames } = policyOf(page)
    expect(header).toContain(`frame-src 'self'`)
    expect(header).toContain(`frame-ancestors 'none'`)
    expect(frames).toBe('DENY')
  }
})
