/**
 * Entry of the child process that reads pictures: their text, and the objects in them. Node runs it as it stands: only
 * packages, types and `./x.ts` may be imported.
 */
import { serveTasks } from '../task-child.ts'
import type { DetectorFiles, VisionInput, VisionReading } from '../task-protocol.ts'
import { type Detector, loadDetector } from './detect.ts'
import { openImage } from './image.ts'
import { TextReader } from './ocr.ts'

let loading: Promise<Detector | undefined> | undefined

serveTasks<VisionInput, VisionReading>(async () => {
  const reader = new TextReader()
  await reader.start()
  return async ({ image, detector: files }, signal) => {
    const { width, height, page, thumbnail } = await openImage(image)
    const text = await reader.read(page, signal)
    const detect = await detectorOf(files)
    const objects = (await detect?.(thumbnail)) ?? []
    return { text, objects, width, height, hasDetector: detect !== undefined }
  }
})

async function detectorOf(files: DetectorFiles | undefined): Promise<Detector | undefined> {
  if (files) loading ??= loadDetector(files).catch(() => undefined)
  return await loading
}
