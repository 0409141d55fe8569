import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import path from 'node:path'
import { setThreadsCount, setWasmPaths } from '@tensorflow/tfjs-backend-wasm'
import { type GraphModel, loadGraphModel } from '@tensorflow/tfjs-converter'
import {
  image as imageOps,
  ready,
  setBackend,
  type Tensor,
  type Tensor2D,
  tensor2d,
  tensor4d,
} from '@tensorflow/tfjs-core'
import type { ImageReading } from '../../engine.ts'
import { DETECTOR_SIDE } from './image.ts'
import { LABELS } from './labels.ts'
import type { DetectorFiles } from './protocol.ts'

const LEAST_CONFIDENCE = 0.5
const MAX_OBJECTS = 20
/** Boxes that share more than this part of their area are the same object. */
const MOST_OVERLAP = 0.5
/** Text is read at the same time, and the machine has other work. */
const THREADS = 1

type Objects = ImageReading['objects']

/** Finds objects in a picture of `DETECTOR_SIDE` squared in RGB. */
export type Detector = (thumbnail: Uint8Array) => Promise<Objects>

/** @param files the network and its weights, as `weights-table.ts` makes them. */
export async function loadDetector(files: DetectorFiles): Promise<Detector> {
  const wasm = path.dirname(createRequire(import.meta.url).resolve('@tensorflow/tfjs-backend-wasm/package.json'))
  setWasmPaths(`${path.join(wasm, 'dist')}${path.sep}`)
  setThreadsCount(THREADS)
  await setBackend('wasm')
  await ready()
  const { modelTopology, weightsManifest } = JSON.parse(await readFile(files.model, 'utf8'))
  const { buffer, byteOffset, byteLength } = await readFile(files.weights)
  const model = await loadGraphModel({
    load: async () => ({
      modelTopology,
      weightSpecs: weightsManifest.flatMap(({ weights }: { weights: object[] }) => weights),
      weightData: buffer.slice(byteOffset, byteOffset + byteLength) as ArrayBuffer,
    }),
  })
  return (thumbnail) => detect(model, thumbnail)
}

async function detect(model: GraphModel, thumbnail: Uint8Array): Promise<Objects> {
  const input = tensor4d(Int32Array.from(thumbnail), [1, DETECTOR_SIDE, DETECTOR_SIDE, 3], 'int32')
  const outputs = (await model.executeAsync(input)) as Tensor[]
  const kept: Tensor[] = [input, ...outputs]
  try {
    const [scores, boxes] = outputs as [Tensor, Tensor]
    const found = bestKinds(await scores.data<'float32'>(), scores.shape[2]!)
    const corners = await boxes.data<'float32'>()
    const boxes2d: Tensor2D = tensor2d(corners, [found.length, 4])
    kept.push(boxes2d)
    const confidences = Float32Array.from(found, ({ confidence }) => confidence)
    const chosen = await imageOps.nonMaxSuppressionAsync(
      boxes2d,
      confidences,
      MAX_OBJECTS,
      MOST_OVERLAP,
      LEAST_CONFIDENCE,
    )
    kept.push(chosen)
    return [...(await chosen.data<'int32'>())].flatMap((at) => {
      const label = LABELS[found[at]!.kind]
      return label
        ? [{ label, confidence: found[at]!.confidence, box: boxOf(corners.subarray(at * 4, at * 4 + 4)) }]
        : []
    })
  } finally {
    for (const tensor of kept) tensor.dispose()
  }
}

/** The kind with the highest score of each candidate. Kinds count from 1. */
function bestKinds(scores: Float32Array, kinds: number): { kind: number; confidence: number }[] {
  return Array.from({ length: scores.length / kinds }, (_, candidate) => {
    let best = { kind: 0, confidence: 0 }
    for (let kind = 0; kind < kinds; kind++) {
      const confidence = scores[candidate * kinds + kind]!
      if (confidence > best.confidence) best = { kind: kind + 1, confidence }
    }
    return best
  })
}

/** From two corners, which may lie a little outside of the picture. */
function boxOf(corners: Float32Array): Objects[number]['box'] {
  const [top, left, bottom, right] = [...corners].map((value) => Math.min(1, Math.max(0, value))) as [
    number,
    number,
    number,
    number,
  ]
  return { left, top, width: Math.max(0, right - left), height: Math.max(0, bottom - top) }
}
