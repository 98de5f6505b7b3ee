import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

const bytes = Buffer.concat(Array.from({ length: 200 }, (_, index) => createHash('sha256').update(`${index}`).digest()));

const CHINESE =
  '本规范定义了设备与主机之间的通信协议。设备在收到请求后必须在一百毫秒内给出应答,否则主机应当重新发送请求。' +
  '每个报文由报头、长度、数据和校验和组成;校验和错误的报文必须被丢弃,并且不得影响后续报文的处理。';
const KOREAN =
  '이 규격은 장치와 호스트 사이의 통신 절차를 정의한다. 장치는 요청을 받은 뒤 백 밀리초 안에 응답해야 하며, ' +
  '그렇지 않으면 호스트는 요청을 다시 보내야 한다. 각 메시지는 머리글, 길이, 데이터, 검사합으로 이루어진다.';
const RUSSIAN =
  'Настоящая спецификация определяет протокол обмена между устройством и узлом. Устройство обязано ответить на запрос ' +
  'в течение ста миллисекунд, иначе узел повторяет запрос. Каждое сообщение состоит из заголовка, длины и данных.';

/** One text of each kind that documents are made of. */
export const TEXTS: { readonly [kind: string]: string } = {
  specification: read('fixtures/quickstart/documents/uart-registers.md'),
  protocol: read('fixtures/quickstart/documents/lease-protocol.txt'),
  code: read('fixtures/make/paper.ts'),
  json: read('fixtures/quickstart/manifest.json'),
  hexadecimal: (bytes.toString('hex').match(/.{1,64}/g) ?? []).join('\n'),
  base64: (bytes.toString('base64').match(/.{1,76}/g) ?? []).join('\n'),
  numbers: Array.from({ length: 400 }, (_, row) => `| ${row} | ${(row * 37.31).toFixed(2)} | ${row * row} |`).join('\n'),
  chinese: CHINESE.repeat(10),
  korean: KOREAN.repeat(10),
  russian: RUSSIAN.repeat(10),
};
