import { expect, test, vi } from 'vitest'
import { rpcItems } from '@/components/rpc/palette-items'

test('finds methods by the name of their group', () => {
  vi.stubGlobal('window', { location: { pathname: '/rpc' } })
  expect(rpcItems('large traces').map(({ name }) => name)).toContain('txpool_content')
  vi.unstubAllGlobals()
})
