import 'fake-indexeddb/auto'
import { cleanup, configure } from '@testing-library/react'
import { afterEach } from 'vitest'
import { PATIENCE_MS } from '@/lib/kernel/testing/patience'

// Parts of the page are compiled when they are first opened.
configure({ asyncUtilTimeout: PATIENCE_MS })

afterEach(() => {
  // Testing Library only does so by itself where tests are globals.
  cleanup()
  localStorage.clear()
  // As another tab says it: preferences are read again.
  window.dispatchEvent(new StorageEvent('storage', { key: null }))
})
