/** A key of `tasks`, `models` or `providers`: job labels are `document:task:model#repeat`. */
export const ID = /^[^:#\s]{1,100}$/;

export const ENV_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

export const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/;
