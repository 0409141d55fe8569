// Entry of the child process that reads pictures: their text, and the objects in them. Node runs it unbundled.
import { readFile } from 'node:fs/promises'
import { type InferenceSession, Tensor } from 'onnxruntime-node'
import type { ImageReading } from '../../engine.ts'
import { serveTasks } from '../task-child.ts'
import type { DetectorFiles, VisionInput, VisionReading } from '../task-protocol.ts'
import { openSession } from '../weights/onnx-session.ts'
import { type GraphModel, onnxOfGraph, readWeights } from '../weights/tfjs-to-onnx.ts'
import { DETECTOR_SIDE, openImage } from './image.ts'
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

const MIN_CONFIDENCE = 0.5
const MAX_OBJECTS = 20
const MAX_OVERLAP = 0.5
const THREADS = 1

// Names and sizes of the network. Source: the graph of SSDLite MobileNet v2 in TensorFlow's detection models.
const INPUT = 'Preprocessor/map/TensorArrayStack/TensorArrayGatherV3'
const PREDICTORS = [0, 1, 2, 3, 4, 5].map((index) => `BoxPredictor_${index}`)
const BOX_OUTPUTS = PREDICTORS.map((predictor) => `${predictor}/BoxEncodingPredictor/BiasAdd`)
const SCORE_OUTPUTS = PREDICTORS.map((predictor) => `${predictor}/ClassPredictor/BiasAdd`)
const ANCHORS = 'Postprocessor/ExpandDims'
const SCORES = 91
const CENTER_SCALE = 10
const SIZE_SCALE = 5

type Objects = ImageReading['objects']
type Corners = { top: number; left: number; bottom: number; right: number }
type Candidate = Corners & { kind: number; confidence: number }

type Detector = (thumbnail: Uint8Array) => Promise<Objects>

async function loadDetector(files: DetectorFiles): Promise<Detector> {
  const model = JSON.parse(await readFile(files.model, 'utf8')) as GraphModel
  const weights = await readFile(files.weights)
  const anchors = readWeights(model.weightsManifest, weights).get(ANCHORS)?.data
  if (!anchors) throw new Error('the detector has no anchors')
  const session = await openSession(onnxOfGraph(model, weights, INPUT, [...BOX_OUTPUTS, ...SCORE_OUTPUTS]), THREADS)
  return async (thumbnail) => {
    const candidates = candidatesOf(await run(session, thumbnail), anchors)
    return withoutOverlaps(candidates).flatMap(({ kind, confidence, ...corners }) => {
      const label = LABELS[kind - 1]
      return label ? [{ label, confidence, box: boxOf(corners) }] : []
    })
  }
}

type Predictions = { boxes: Float32Array[]; scores: Float32Array[] }

async function run(session: InferenceSession, thumbnail: Uint8Array): Promise<Predictions> {
  const area = DETECTOR_SIDE * DETECTOR_SIDE
  const planes = new Float32Array(3 * area)
  for (let at = 0; at < planes.length; at++) planes[(at % 3) * area + Math.floor(at / 3)] = thumbnail[at]!
  const input = new Tensor('float32', planes, [1, 3, DETECTOR_SIDE, DETECTOR_SIDE])
  const made = await session.run({ [INPUT]: input })
  const dataOf = (name: string) => made[`${name}/last`]!.data as Float32Array
  return { boxes: BOX_OUTPUTS.map(dataOf), scores: SCORE_OUTPUTS.map(dataOf) }
}

function candidatesOf({ boxes, scores }: Predictions, anchors: Float32Array): Candidate[] {
  const found: Candidate[] = []
  let anchor = 0
  for (const [predictor, values] of scores.entries()) {
    for (let at = 0; at < values.length / SCORES; at++, anchor++) {
      let kind = 1
      for (let other = 2; other < SCORES; other++) {
        if (values[at * SCORES + other]! > values[at * SCORES + kind]!) kind = other
      }
      const confidence = 1 / (1 + Math.exp(-values[at * SCORES + kind]!))
      if (confidence <= MIN_CONFIDENCE) continue
      const encoded = boxes[predictor]!.subarray(at * 4, at * 4 + 4)
      found.push({ kind, confidence, ...cornersOf(encoded, anchors.subarray(anchor * 4, anchor * 4 + 4)) })
    }
  }
  return found
}

// Decodes a box, given by the distance of its centre and size from an anchor's: down, right, height, width.
function cornersOf(encoded: Float32Array, anchor: Float32Array): Corners {
  const [down, along, taller, wider] = encoded as unknown as [number, number, number, number]
  const [top, left, bottom, right] = anchor as unknown as [number, number, number, number]
  const [height, width] = [bottom - top, right - left]
  const [y, x] = [top + height / 2 + (down / CENTER_SCALE) * height, left + width / 2 + (along / CENTER_SCALE) * width]
  const [halfHeight, halfWidth] = [
    (Math.exp(taller / SIZE_SCALE) * height) / 2,
    (Math.exp(wider / SIZE_SCALE) * width) / 2,
  ]
  return { top: y - halfHeight, left: x - halfWidth, bottom: y + halfHeight, right: x + halfWidth }
}

function withoutOverlaps(candidates: Candidate[]): Candidate[] {
  const truncated: Candidate[] = []
  for (const candidate of candidates.toSorted((a, b) => b.confidence - a.confidence)) {
    if (truncated.length === MAX_OBJECTS) break
    if (truncated.every((other) => overlapOf(candidate, other) <= MAX_OVERLAP)) truncated.push(candidate)
  }
  return truncated
}

function overlapOf(one: Corners, other: Corners): number {
  const height = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top)
  const width = Math.min(one.right, other.right) - Math.max(one.left, other.left)
  const both = Math.max(0, height) * Math.max(0, width)
  return both / (areaOf(one) + areaOf(other) - both)
}

const areaOf = ({ top, left, bottom, right }: Corners): number => (bottom - top) * (right - left)

function boxOf({ top, left, bottom, right }: Corners): Objects[number]['box'] {
  const [y, x] = [within(top), within(left)]
  return { left: x, top: y, width: Math.max(0, within(right) - x), height: Math.max(0, within(bottom) - y) }
}

const within = (value: number): number => Math.min(1, Math.max(0, value))

// The 80 kinds of COCO by their numbers in the model's output, which counts from 1 and leaves gaps. Source: the label map
// of TensorFlow's detection models.
const LABELS = (
  'person|bicycle|car|motorcycle|airplane|bus|train|truck|boat|traffic light|fire hydrant||stop sign|' +
  'parking meter|bench|bird|cat|dog|horse|sheep|cow|elephant|bear|zebra|giraffe||backpack|umbrella|||handbag|' +
  'tie|suitcase|frisbee|skis|snowboard|sports ball|kite|baseball bat|baseball glove|skateboard|surfboard|' +
  'tennis racket|bottle||wine glass|cup|fork|knife|spoon|bowl|banana|apple|sandwich|orange|broccoli|carrot|' +
  'hot dog|pizza|donut|cake|chair|couch|potted plant|bed||dining table|||toilet||TV|laptop|computer mouse|' +
  'remote control|keyboard|cell phone|microwave|oven|toaster|sink|refrigerator||book|clock|vase|scissors|' +
  'teddy bear|hair drier|toothbrush'
).split('|')
