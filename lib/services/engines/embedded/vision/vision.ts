import 'server-only'
import { setTimeout as sleep } from 'node:timers/promises'
import { log } from '@/lib/kernel/log'
import type { EmbeddedModelState, LoadProgress } from '@/lib/services/engines/embedded/lifecycle'
import { TaskPool } from '@/lib/services/engines/embedded/task-pool'
import type { DetectorFiles, VisionInput, VisionReading } from '@/lib/services/engines/embedded/task-protocol'
import { ensureWeights, type WeightsProgress } from '@/lib/services/engines/embedded/weights/weights'

const MAX_ACTIVE = 1
const MAX_QUEUED = 16
const IDLE_MS = 10 * 60_000
const TASK_DEADLINE_MS = 150_000
/** The first picture waits this long for the detector; then text is read without it while it is fetched. */
const DETECTOR_WAIT_MS = 20_000

export type EmbeddedImageReader = {
  read(image: Uint8Array, signal: AbortSignal): Promise<VisionReading>
  load(onProgress?: (progress: LoadProgress) => void): Promise<void>
  state(): EmbeddedModelState
  close(): Promise<void>
}

/**
 * Reads text and finds objects in a child process, which is started by the first picture. The text reader is in the
 * installation; the detector's weights are fetched once, and where they cannot be had, text is read all the same.
 */
export function createImageReader({ dataDir }: { dataDir: string }): EmbeddedImageReader {
  let detector: DetectorFiles | undefined
  const fetchDetector = async (onProgress: (progress: WeightsProgress) => void) => {
    try {
      const files = await ensureWeights('coco-ssd', { dataDir, onProgress })
      detector = { model: files['model.json']!, weights: files['weights.bin']! }
    } catch (error) {
      log().warn({ err: error }, 'reading images without object detection: its weights are unavailable')
    }
  }
  const pool = new TaskPool<VisionInput, VisionReading>({
    name: 'image-reader',
    entry: 'vision/vision-worker.ts',
    findWeights: async (onProgress) => {
      if (detector) return {}
      let isAwaited = true
      const fetching = fetchDetector((progress) => {
        if (isAwaited) onProgress(progress)
      })
      await Promise.race([fetching, sleep(DETECTOR_WAIT_MS, undefined, { ref: false })])
      isAwaited = false
      return {}
    },
    maxActive: MAX_ACTIVE,
    maxQueued: MAX_QUEUED,
    idleMs: IDLE_MS,
    taskDeadlineMs: TASK_DEADLINE_MS,
  })
  return {
    // Asked for when the task is sent, which is after the fetching that the task itself has started.
    read: (image, signal) =>
      pool.run(
        {
          image,
          get detector() {
            return detector
          },
        },
        signal,
      ),
    load: (onProgress) => pool.load(onProgress),
    state: () => pool.state(),
    close: () => pool.close(),
  }
}
