import 'fake-indexeddb/auto'
import { cleanup } from '@testing-library/react'
import { afterEach } from 'vitest'

// Testing Library only does so by itself where tests are globals.
afterEach(cleanup)
