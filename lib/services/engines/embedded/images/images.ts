import 'server-only'
import type { EmbeddedModelState } from '@/lib/services/engines/embedded/lifecycle'
import type { EngineEntry } from '@/lib/services/engines/embedded/model-process'
import { TaskPool } from '@/lib/services/engines/embedded/task-pool'
import type { EnlargeInput, FillInput, RetouchedOutput } from '@/lib/services/engines/embedded/task-protocol'
import type { WeightsName } from '@/lib/services/engines/embedded/weights/manifest'
import { ensureWeights } from '@/lib/services/engines/embedded/weights/weights'
import type { ImageEngine } from '@/lib/services/engines/engine'
import { EngineError } from '@/lib/services/engines/engine'

const MAX_ACTIVE = 1
const MAX_QUEUED = 8
const IDLE_MS = 5 * 60_000
const TASK_DEADLINE_MS = 130_000

export type EmbeddedRetoucher = ImageEngine & { states(): EmbeddedModelState[]; close(): Promise<void> }

/**
 * Enlarges pictures and fills holes in them, each in a child process of its own (docs/adr/0001). Nothing is fetched or
 * loaded before the first request. No weights paint pictures from words.
 */
export function createRetoucher({ dataDir }: { dataDir: string }): EmbeddedRetoucher {
  const poolOf = <Input>(name: WeightsName, entry: EngineEntry) =>
    new TaskPool<Input, RetouchedOutput>({
      name,
      entry,
      findWeights: (onProgress) => ensureWeights(name, { dataDir, onProgress }),
      maxActive: MAX_ACTIVE,
      maxQueued: MAX_QUEUED,
      idleMs: IDLE_MS,
      taskDeadlineMs: TASK_DEADLINE_MS,
    })
  const enlarging = poolOf<EnlargeInput>('esrgan-slim', 'images/images-upscale-worker.ts')
  const filling = poolOf<FillInput>('mi-gan', 'images/images-fill-worker.ts')

  return {
    paint: () => unable('generate images'),
    cutOut: () => unable('remove backgrounds'),
    async upscale({ image, factor }, signal) {
      return (await enlarging.run({ bytes: image.bytes, factor }, signal)).bytes
    },
    async edit({ images, size }, signal) {
      const [image] = images
      if (!image || images.length > 1 || size) return unable('combine images or change their shape')
      return (await filling.run({ bytes: image.bytes }, signal)).bytes
    },
    states: () => [enlarging.state(), filling.state()],
    async close() {
      await Promise.all([enlarging.close(), filling.close()])
    },
  }
}

function unable(what: string): Promise<never> {
  return Promise.reject(new EngineError('offline', `No model inside this service can ${what}. Choose another model.`))
}
