// Entry of the child process that holds one vision-language model (docs/adr/0037). Node runs it unbundled.
import { serveChat } from './serve-chat.ts'
import { answer, loadVisionModel } from './vision-model.ts'

serveChat({ load: loadVisionModel, generate: answer })
