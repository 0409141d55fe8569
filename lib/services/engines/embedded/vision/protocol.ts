import type { ImageReading } from '@/lib/services/engines/engine'

/** What the child process that reads pictures is sent: one encoded picture. */
export type VisionInput = {
  image: Uint8Array
  /** Where the detector's files are. Without them text is read, and objects are not looked for. */
  detector?: DetectorFiles
}

export type DetectorFiles = { model: string; weights: string }

export type VisionReading = ImageReading & {
  /** Of the picture as it is shown, in pixels. */
  width: number
  height: number
  /** False where objects were not looked for. */
  hasDetector: boolean
}

/** A word on a page. Confidence 0 to 100; coordinates in pixels of the page, from its top left corner. */
export type Word = { text: string; confidence: number; left: number; top: number; right: number; bottom: number }

/** Words of one line, from left to right. */
export type Line = Word[]
