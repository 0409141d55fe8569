import { vi } from 'vitest'
import { PATIENCE_MS } from '@/lib/kernel/testing/patience'

/** Repeats a check until it passes. */
export const eventually = <T>(check: () => T | Promise<T>): Promise<T> => vi.waitFor(check, { timeout: PATIENCE_MS })
