//! Macros for payload types: `event_payload!` sets the name and message of a kind, `event_readers!` adds named readers
//! such as `update.as_sub_query_completed()` to the generic `update.as_payload()`, and `event_enum!` defines an enum of
//! all kinds that a journal reader distinguishes.

/// Makes a type the payload of an event kind: its name on the wire and its message for people.
///
/// ```
/// # use gemicro_event::{Payload, event_payload};
/// # #[derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
/// # pub struct Greeted { who: String }
/// event_payload!(Greeted, "greeted", |it| format!("Greeted {}", it.who));
/// assert_eq!(Greeted { who: "Ada".into() }.message(), "Greeted Ada");
/// ```
#[macro_export]
macro_rules! event_payload {
    ($type:ident, $event_type:literal, |$payload:ident| $message:expr) => {
        impl $crate::Payload for $type {
            const EVENT_TYPE: &'static str = $event_type;

            fn message(&self) -> String {
                let $payload = self;
                $message
            }
        }
    };
}

/// Declares a trait with `as_x` and `try_as_x` for each payload type and implements it for
/// [`AgentUpdate`](crate::AgentUpdate). With `fn register;` it also declares the function that registers the kinds.
///
/// ```
/// # use gemicro_event::{AgentUpdate, Payload, Timestamp, event_readers};
/// # #[derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
/// # pub struct Greeted { who: String }
/// # impl Payload for Greeted {
/// #     const EVENT_TYPE: &'static str = "greeted";
/// #     fn message(&self) -> String { format!("Greeted {}", self.who) }
/// # }
/// event_readers! {
///     /// Readers of greetings.
///     pub trait GreetingReaders { Greeted => as_greeted, try_as_greeted; }
/// }
/// let update = AgentUpdate::new(&Greeted { who: "Ada".into() }, Timestamp::default());
/// assert_eq!(update.as_greeted().map(|greeted| greeted.who), Some("Ada".to_owned()));
/// ```
#[macro_export]
macro_rules! event_readers {
    (
        $(#[$doc:meta])* pub trait $name:ident { $($payload:ty => $as_x:ident, $try_as_x:ident;)+ }
        $($(#[$register_doc:meta])* $visible:vis fn register;)?
    ) => {
        $crate::event_readers! { @register $([$(#[$register_doc])* $visible])? $($payload)+ }
        $(#[$doc])*
        pub trait $name {
            $(
                #[doc = concat!("The payload, if this is a [`", stringify!($payload), "`].")]
                fn $as_x(&self) -> Option<$payload>;

                #[doc = concat!("The payload of a [`", stringify!($payload), "`], or why it cannot be read.")]
                ///
                /// # Errors
                /// When the event is of another kind or shape.
                fn $try_as_x(&self) -> Result<$payload, $crate::PayloadReadError>;
            )+
        }

        impl $name for $crate::AgentUpdate {
            $(
                fn $as_x(&self) -> Option<$payload> {
                    self.as_payload()
                }

                fn $try_as_x(&self) -> Result<$payload, $crate::PayloadReadError> {
                    self.try_as_payload()
                }
            )+
        }
    };
    (@register [$(#[$doc:meta])* $visible:vis] $($payload:ty)+) => {
        $(#[$doc])*
        $visible fn register(registry: &mut $crate::Registry) {
            $(registry.add::<$payload>();)+
        }
    };
    (@register $($payload:ty)+) => {};
}

/// Declares an enum of event kinds, with variants named like the payload types, and `of` to read an event. The payload
/// of kinds after `noticed` is not parsed. Events of another kind, or whose data does not match their kind, become
/// `Unknown`.
///
/// ```
/// # use gemicro_event::{AgentUpdate, Payload, Timestamp, event_enum, event_payload};
/// # #[derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
/// # pub struct Greeted { who: String }
/// # event_payload!(Greeted, "greeted", |it| format!("Greeted {}", it.who));
/// # #[derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
/// # pub struct Left;
/// # event_payload!(Left, "left", |_it| "Left".to_owned());
/// event_enum! {
///     /// What a host reads.
///     enum HostEvent {
///         noticed: Left;
///         read: Greeted;
///     }
/// }
/// let update = AgentUpdate::new(&Greeted { who: "Ada".into() }, Timestamp::default());
/// let who = match HostEvent::of(&update) {
///     HostEvent::Greeted(greeted) => Some(greeted.who),
///     HostEvent::Left | HostEvent::Unknown => None,
/// };
/// assert_eq!(who.as_deref(), Some("Ada"));
/// ```
#[macro_export]
macro_rules! event_enum {
    (
        $(#[$doc:meta])*
        $visible:vis enum $name:ident {
            $(noticed: $($noticed:ident),+;)?
            read: $($read:ident),+;
        }
    ) => {
        $(#[$doc])*
        $visible enum $name {
            $($($noticed,)+)?
            $($read(Box<$read>),)+
            /// An event of another kind, or with invalid data.
            Unknown,
        }

        impl $name {
            $visible fn of(update: &$crate::AgentUpdate) -> Self {
                match update.event_type.as_str() {
                    $($(<$noticed as $crate::Payload>::EVENT_TYPE => Self::$noticed,)+)?
                    $(
                        <$read as $crate::Payload>::EVENT_TYPE => {
                            update.as_payload().map_or(Self::Unknown, |it| Self::$read(Box::new(it)))
                        }
                    )+
                    _ => Self::Unknown,
                }
            }
        }
    };
}
