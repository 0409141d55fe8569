import 'server-only'
import type { ModelPreparation } from '@/lib/contract/session'
import { perProcess } from '@/lib/kernel/per-process'

const noted = () => perProcess('model-preparation', () => ({ current: undefined as ModelPreparation | undefined }))

export function notePreparation(preparation: ModelPreparation | undefined): void {
  noted().current = preparation
}

/** Returns how far the model is that this installation starts with, while it is prepared. */
export const modelPreparation = (): ModelPreparation | undefined => noted().current
