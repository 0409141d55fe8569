import { vi } from 'vitest'
import { PATIENCE_MS } from '@/lib/kernel/testing/patience'

export const eventually = <T>(check: () => T | Promise<T>): Promise<T> => vi.waitFor(check, { timeout: PATIENCE_MS })
